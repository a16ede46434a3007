// Normals of a surface that follows a field, computed on the graphics device: once for each q, however often and from
// wherever it is drawn.

import {
  DataTexture,
  RGBAIntegerFormat,
  RGIntegerFormat,
  UnsignedIntType,
  type IUniform,
  type WebGLRenderer,
} from 'three';
import { fieldGlsl, type DisplacedField } from './displaced_field';
import type { SurfaceSites } from './surface_sites';
import { TexelPass } from './texel_pass';
import { gridFor, type Grid, type TextureLimits } from './texture_layout';

// The sum of the incident triangles' cross products, as NormalUpdater has it on the CPU. Divided by its largest
// component first: the square of an area of 1e-20 m^2 is no float.
const shader = /* glsl */ `
${fieldGlsl}
uniform usampler2D sites;
uniform usampler2D pairs;
uniform int pairShift;

void main() {
  uvec4 site = texelFetch(sites, ivec2(gl_FragCoord.xy), 0);
  vec3 o = fieldPosition(site.x);
  vec3 sum = vec3(0.0);
  int begin = int(site.y);
  int end = begin + int(site.z);
  for (int i = begin; i < end; ++i) {
    uvec2 pair = texelFetch(pairs, ivec2(i & ((1 << pairShift) - 1), i >> pairShift), 0).xy;
    sum += cross(fieldPosition(pair.x) - o, fieldPosition(pair.y) - o);
  }
  vec3 size = abs(sum);
  float largest = max(size.x, max(size.y, size.z));
  bits = uvec4(floatBitsToUint(largest > 0.0 ? normalize(sum / largest) : vec3(0.0, 0.0, 1.0)), 0u);
}
`;

/** GLSL: `vec3 siteNormal(int site)` in a shader that has the uniforms of SiteNormals. */
export const siteNormalGlsl = /* glsl */ `
uniform highp usampler2D siteNormals;
uniform int siteShift;
vec3 siteNormal(int site) {
  return uintBitsToFloat(texelFetch(siteNormals, ivec2(site & ((1 << siteShift) - 1), site >> siteShift), 0).xyz);
}
`;

/** Numbers in texels of two or four, padded with zeros to the grid. */
function integerTexture(numbers: Uint32Array, perTexel: 2 | 4, grid: Grid): DataTexture {
  const data = new Uint32Array(perTexel * grid.width * grid.height);
  data.set(numbers);
  const format = perTexel === 2 ? RGIntegerFormat : RGBAIntegerFormat;
  const texture = new DataTexture(data, grid.width, grid.height, format, UnsignedIntType);
  texture.internalFormat = perTexel === 2 ? 'RG32UI' : 'RGBA32UI';
  texture.needsUpdate = true;
  return texture;
}

export class SiteNormals {
  /** For shaders with `siteNormalGlsl`. */
  readonly uniforms: { readonly siteNormals: IUniform; readonly siteShift: IUniform };
  private readonly pass: TexelPass;
  private readonly textures: readonly DataTexture[];

  /** Throws where they do not fit into textures. */
  constructor(limits: TextureLimits, field: DisplacedField, { sites, pairs }: SurfaceSites) {
    const siteGrid = gridFor(sites.length / 4, limits.size);
    const pairGrid = gridFor(pairs.length / 2, limits.size);
    const siteTexture = integerTexture(sites, 4, siteGrid);
    const pairTexture = integerTexture(pairs, 2, pairGrid);
    this.textures = [siteTexture, pairTexture];
    this.pass = new TexelPass(siteGrid, shader, {
      ...field.uniforms,
      sites: { value: siteTexture },
      pairs: { value: pairTexture },
      pairShift: { value: pairGrid.shift },
    });
    this.uniforms = { siteNormals: { value: this.pass.texture }, siteShift: { value: siteGrid.shift } };
  }

  /** After the field has been updated. Leaves the renderer with another target. */
  update(renderer: WebGLRenderer): void {
    this.pass.run(renderer);
  }

  dispose(): void {
    for (const texture of this.textures) texture.dispose();
    this.pass.dispose();
  }
}
