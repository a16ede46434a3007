// What the body was computed with: edges of the simulation mesh, its fixed vertices and the elements of its cubature.

import {
  BufferGeometry,
  Color,
  Group,
  LineSegments,
  Matrix4,
  Points,
  ShaderMaterial,
  Uint32BufferAttribute,
  type WebGLRenderer,
} from 'three';
import type { SimulationMesh, Vector3 } from '../../../runtime/src/types';
import { screenColor } from './background';
import { DisplacedField, fieldGlsl } from './displaced_field';
import { DisplacedSurface, type RimUniforms } from './displaced_surface';
import { elementSolids, meshEdges } from './mesh_topology';
import type { TextureLimits } from './texture_layout';
import type { Palette } from './theme';

export interface Overlays {
  readonly mesh: boolean;
  readonly cubature: boolean;
  readonly fixed: boolean;
}

const solidScale = 0.8;
const pointSize = 7; // px

// Lines are drawn twice, before the translucent body and after it: those inside shine through faintly. So are points.
const insideLines = { opacity: 0.14, order: 0, count: 6000 }; // fainter where there are more
const surfaceLines = { opacity: 0.42, order: 12 };
const hiddenPoints = { opacity: 0.2, order: 13, depthTest: false };
const seenPoints = { opacity: 1, order: 14, depthTest: true };

// Indices are vertices of the mesh, so that no attributes are needed. A little nearer than the surface they lie on.
const vertexShader = /* glsl */ `
${fieldGlsl}
uniform float pointSize;
void main() {
  gl_Position = projectionMatrix * viewMatrix * vec4(fieldPosition(uint(gl_VertexID)), 1.0);
  gl_Position.z -= 2e-4 * gl_Position.w;
  gl_PointSize = pointSize;
}
`;
const lineFragment = /* glsl */ `
uniform vec3 color;
uniform float opacity;
void main() { gl_FragColor = vec4(color, opacity); }
`;
// A disc with a light ring.
const pointFragment = /* glsl */ `
uniform vec3 color;
uniform float opacity;
uniform float pointSize;
void main() {
  float r = length(gl_PointCoord - 0.5) * pointSize;
  float inside = clamp(0.5 * pointSize - r, 0.0, 1.0);
  float ring = clamp(r - 0.36 * pointSize + 0.5, 0.0, 1.0);
  gl_FragColor = vec4(mix(color, vec3(1.0), 0.9 * ring), inside * opacity);
}
`;

function overlayMaterial(field: DisplacedField, fragmentShader: string, opacity: number): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader,
    fragmentShader,
    uniforms: {
      ...field.uniforms,
      color: { value: new Color() },
      opacity: { value: opacity },
      pointSize: { value: pointSize },
    },
    transparent: true,
    depthWrite: false,
  });
}

export class SimulationOverlay {
  readonly group = new Group();
  private readonly field: DisplacedField;
  private readonly geometries: BufferGeometry[] = [];
  private readonly lines: ShaderMaterial[] = [];
  private readonly points: ShaderMaterial[] = [];
  private readonly lineObjects: LineSegments[] = [];
  private readonly pointObjects: Points[] = [];
  private solids: DisplacedSurface | null = null;
  private overlays: Overlays = { mesh: false, cubature: false, fixed: false };
  private palette: Palette | null = null;
  private q = new Float32Array(0);
  private readonly pose = new Matrix4();

  constructor(
    private readonly limits: TextureLimits,
    private readonly mesh: SimulationMesh,
    private readonly rim: RimUniforms,
  ) {
    this.field = new DisplacedField(limits, mesh.positions, mesh.basis);
  }

  /** Whether anything is drawn. */
  get shown(): boolean {
    return this.overlays.mesh || this.overlays.cubature || this.overlays.fixed;
  }

  /** Parts are built when they are first shown. */
  setOverlays(overlays: Overlays): void {
    this.overlays = overlays;
    if (overlays.mesh && this.lineObjects.length === 0) this.buildLines();
    if (overlays.fixed && this.pointObjects.length === 0 && this.mesh.fixed.length > 0) this.buildPoints();
    if (overlays.cubature && !this.solids && this.mesh.cubatureElements.length > 0) this.buildSolids();
    for (const object of this.lineObjects) object.visible = overlays.mesh;
    for (const object of this.pointObjects) object.visible = overlays.fixed;
    if (this.solids) this.solids.mesh.visible = overlays.cubature;
    if (this.palette) this.setPalette(this.palette);
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    for (const material of this.lines)
      screenColor(material.uniforms.color!.value as Color, palette.meshLines);
    for (const material of this.points) screenColor(material.uniforms.color!.value as Color, palette.fixed);
    this.solids?.material.color.set(palette.cubature);
  }

  setPixelRatio(ratio: number): void {
    for (const material of this.points) material.uniforms.pointSize!.value = pointSize * ratio;
  }

  setCoordinates(q: Float32Array, pose: Matrix4): void {
    this.q = q.slice();
    this.pose.copy(pose);
    this.field.setCoordinates(q, false, pose);
    this.solids?.field.setCoordinates(q, false, pose);
  }

  /** Computes what is shown and has changed. */
  update(renderer: WebGLRenderer): boolean {
    let changed = false;
    if (this.overlays.mesh || this.overlays.fixed) changed = this.field.update(renderer);
    if (this.overlays.cubature && this.solids) changed = this.solids.update(renderer) || changed;
    return changed;
  }

  dispose(): void {
    this.field.dispose();
    this.solids?.dispose();
    for (const item of [...this.geometries, ...this.lines, ...this.points]) item.dispose();
  }

  private buildLines(): void {
    const edges = meshEdges(this.mesh);
    const geometry = this.indexed(edges);
    const crowd = Math.max(1, edges.length / 2 / insideLines.count);
    for (const { opacity, order } of [
      { ...insideLines, opacity: insideLines.opacity / crowd },
      surfaceLines,
    ]) {
      const material = overlayMaterial(this.field, lineFragment, opacity);
      this.lines.push(material);
      this.lineObjects.push(this.add(new LineSegments(geometry, material), order));
    }
  }

  private buildPoints(): void {
    const geometry = this.indexed(this.mesh.fixed);
    for (const { opacity, order, depthTest } of [hiddenPoints, seenPoints]) {
      const material = overlayMaterial(this.field, pointFragment, opacity);
      material.depthTest = depthTest;
      this.points.push(material);
      this.pointObjects.push(this.add(new Points(geometry, material), order));
    }
  }

  private buildSolids(): void {
    const solids = elementSolids(this.mesh, this.mesh.cubatureElements, solidScale);
    const white: Vector3 = [1, 1, 1];
    const surface = { ...solids, parts: [{ name: 'cubature', color: white }], rotations: null };
    this.solids = new DisplacedSurface(this.limits, surface, this.rim, { roughness: 0.6 });
    this.solids.field.setCoordinates(this.q, false, this.pose);
    this.solids.mesh.castShadow = false;
    this.solids.mesh.receiveShadow = false;
    this.group.add(this.solids.mesh);
  }

  private indexed(index: Uint32Array): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setIndex(new Uint32BufferAttribute(index, 1));
    this.geometries.push(geometry);
    return geometry;
  }

  private add<T extends LineSegments | Points>(object: T, order: number): T {
    object.frustumCulled = false;
    object.renderOrder = order;
    this.group.add(object);
    return object;
  }
}
