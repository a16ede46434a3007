// A surface whose vertices come from a field: geometry, colours and the materials that draw it in the three passes
// (picture, shadow map, contact shadow).

import {
  BufferGeometry,
  Color,
  DataTexture,
  DoubleSide,
  FloatType,
  Mesh,
  MeshDepthMaterial,
  MeshPhysicalMaterial,
  RGBAFormat,
  Uint32BufferAttribute,
  type IUniform,
  type Material,
  type MeshPhysicalMaterialParameters,
  type WebGLRenderer,
} from 'three';
import type { Surface, Vector3 } from '../../../runtime/src/types';
import { DisplacedField, fieldGlsl } from './displaced_field';
import { SiteNormals, siteNormalGlsl } from './site_normals';
import { surfaceSites } from './surface_sites';
import { gridFor, type TextureLimits } from './texture_layout';

// A site: vertex and part.
const siteGlsl = /* glsl */ `
attribute uvec2 site;
${fieldGlsl}
`;

const litGlsl = /* glsl */ `
${siteNormalGlsl}
uniform highp sampler2D palette;
uniform int paletteShift;
varying vec3 vPartColor;
vec3 siteColor() {
  int i = int(site.y);
  return texelFetch(palette, ivec2(i & ((1 << paletteShift) - 1), i >> paletteShift), 0).rgb;
}
`;

// Light from behind at grazing angles, and none of it below.
const rimGlsl = /* glsl */ `
#include <lights_fragment_end>
float facing = saturate(dot(normal, normalize(vViewPosition)));
float above = 0.5 + 0.5 * dot(normal, rimUp);
reflectedLight.indirectDiffuse += rimColor * (0.35 + 0.65 * diffuseColor.rgb) * above * pow(1.0 - facing, 3.0);
`;

/** What is drawn, whatever domains it is of. */
export type DrawnSurface = Omit<Surface, 'vertexDomains' | 'triangleDomains'>;

/** Light that all bodies share. */
export interface RimUniforms {
  readonly rimColor: IUniform<Color>;
  /** In the coordinates of the camera. */
  readonly rimUp: IUniform;
}

export class DisplacedSurface {
  readonly field: DisplacedField;
  readonly geometry = new BufferGeometry();
  readonly material: MeshPhysicalMaterial;
  readonly mesh: Mesh;
  private readonly depth = new MeshDepthMaterial({ side: DoubleSide });
  private readonly normals: SiteNormals;
  private readonly palette: DataTexture;
  private readonly colors: Float32Array;
  private readonly parts: Surface['parts'];

  constructor(
    limits: TextureLimits,
    surface: DrawnSurface,
    rim: RimUniforms,
    parameters: MeshPhysicalMaterialParameters,
  ) {
    this.field = new DisplacedField(limits, surface.positions, surface.basis, surface.rotations);
    const sites = surfaceSites(surface);
    this.normals = new SiteNormals(limits, this.field, sites);
    const vertexAndPart = sites.sites.filter((_, i) => i % 4 === 0 || i % 4 === 3);
    const attribute = new Uint32BufferAttribute(vertexAndPart, 2);
    this.geometry.setAttribute('site', attribute);
    // three shades a geometry without normals flat. The attribute is never read: normals come from a texture.
    this.geometry.setAttribute('normal', attribute);
    this.geometry.setIndex(new Uint32BufferAttribute(sites.triangles, 1));

    const paletteGrid = gridFor(surface.parts.length, limits.size);
    this.parts = surface.parts;
    this.colors = new Float32Array(4 * paletteGrid.width * paletteGrid.height);
    this.palette = new DataTexture(this.colors, paletteGrid.width, paletteGrid.height, RGBAFormat, FloatType);
    this.setColors(null);

    const uniforms: Record<string, IUniform> = {
      ...this.field.uniforms,
      ...this.normals.uniforms,
      palette: { value: this.palette },
      paletteShift: { value: paletteGrid.shift },
      ...rim,
    };
    this.material = new MeshPhysicalMaterial({ side: DoubleSide, ...parameters });
    this.material.forceSinglePass = true;
    patchLit(this.material, uniforms);
    patchDepth(this.depth, this.field.uniforms);
    this.mesh = new Mesh(this.geometry, this.material);
    this.mesh.customDepthMaterial = this.depth;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false; // where it is only the graphics device knows
  }

  /** Computes vertices and normals where q was set anew, and says whether it was. Leaves the renderer with another target. */
  update(renderer: WebGLRenderer): boolean {
    if (!this.field.update(renderer)) return false;
    this.normals.update(renderer);
    return true;
  }

  /** sRGB of each part; null: their own. */
  setColors(colors: readonly Vector3[] | null): void {
    this.parts.forEach((part, i) => {
      new Color().setRGB(...(colors?.[i] ?? part.color), 'srgb').toArray(this.colors, 4 * i);
    });
    this.palette.needsUpdate = true;
  }

  /** A mesh of the same triangles with another material, which `patchDepth` has been applied to or that has
   *  `displacedVertexGlsl`. */
  twin(material: Material): Mesh {
    const mesh = new Mesh(this.geometry, material);
    mesh.frustumCulled = false;
    return mesh;
  }

  dispose(): void {
    this.field.dispose();
    this.geometry.dispose();
    this.material.dispose();
    this.depth.dispose();
    this.normals.dispose();
    this.palette.dispose();
  }
}

function patchLit(material: Material, uniforms: Record<string, IUniform>): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${siteGlsl}\n${litGlsl}`)
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = siteNormal(gl_VertexID);')
      .replace(
        '#include <begin_vertex>',
        'vec3 transformed = fieldPosition(site.x);\nvPartColor = siteColor();',
      );
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        '#include <common>\nvarying vec3 vPartColor;\nuniform vec3 rimColor;\nuniform vec3 rimUp;',
      )
      .replace('#include <color_fragment>', 'diffuseColor.rgb *= vPartColor;')
      .replace('#include <lights_fragment_end>', rimGlsl);
  };
}

/** Gives a material of three's own the light that bodies have at their edges. */
export function patchRim(material: Material, rim: RimUniforms): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, rim);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nuniform vec3 rimColor;\nuniform vec3 rimUp;')
      .replace('#include <lights_fragment_end>', rimGlsl);
  };
}

/** Makes a material that needs positions alone take them from a field. */
export function patchDepth(material: Material, uniforms: DisplacedField['uniforms']): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${siteGlsl}`)
      .replace('#include <begin_vertex>', 'vec3 transformed = fieldPosition(site.x);');
  };
}

/** GLSL: `displaced()` is where the vertex of a DisplacedSurface is, for a ShaderMaterial with the field's uniforms. */
export const displacedVertexGlsl = /* glsl */ `
${siteGlsl}
vec3 displaced() { return fieldPosition(site.x); }
`;
