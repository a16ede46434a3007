// The body as it is drawn: opaque rubber, or translucent so that its inside is seen.

import { MeshBasicMaterial, type Group, type Mesh } from 'three';
import type { Surface } from '../../../runtime/src/types';
import { DisplacedSurface, patchDepth, type RimUniforms } from './displaced_surface';
import type { Quality } from './quality';
import type { TextureLimits } from './texture_layout';

/** What bodies are made of: matt, with a faint coat. */
export const rubber = { roughness: 0.55, clearcoat: 0.3, clearcoatRoughness: 0.38 };
const translucent = 0.38;

export class Body {
  readonly surface: DisplacedSurface;
  /** Fills the depth buffer for a translucent body, so that only its front is seen. */
  private readonly veil: Mesh;
  private readonly veilMaterial: MeshBasicMaterial;

  /** Adds itself to a group. Throws where the surface does not fit into textures. */
  constructor(
    private readonly group: Group,
    limits: TextureLimits,
    surface: Surface,
    rim: RimUniforms,
  ) {
    this.surface = new DisplacedSurface(limits, surface, rim, rubber);
    this.surface.mesh.renderOrder = 10;
    const { side } = this.surface.material;
    this.veilMaterial = new MeshBasicMaterial({ colorWrite: false, transparent: true, side });
    this.veilMaterial.forceSinglePass = true;
    patchDepth(this.veilMaterial, this.surface.field.uniforms);
    this.veil = this.surface.twin(this.veilMaterial);
    this.veil.renderOrder = 9;
    this.setTranslucent(false);
    group.add(this.surface.mesh, this.veil);
  }

  setTranslucent(open: boolean): void {
    const { material } = this.surface;
    this.veil.visible = open;
    material.opacity = open ? translucent : 1;
    if (material.transparent === open) return;
    material.transparent = open;
    material.needsUpdate = true;
  }

  setQuality(quality: Quality): void {
    this.surface.material.clearcoat = quality === 'full' ? rubber.clearcoat : 0;
    this.surface.material.needsUpdate = true;
  }

  dispose(): void {
    this.group.remove(this.surface.mesh, this.veil);
    this.surface.dispose();
    this.veilMaterial.dispose();
  }
}
