// Points that follow the reduced coordinates, x + sum_i q_i U_i, computed on the graphics device. A new q is the only thing
// that goes there.                                                           [Barbic & James 2005, section 6.4]

import {
  DataArrayTexture,
  DataTexture,
  FloatType,
  RedFormat,
  RGBFormat,
  type IUniform,
  type WebGLRenderer,
} from 'three';
import { TexelPass } from './texel_pass';
import { columnLayout, packColumns, type TextureLimits } from './texture_layout';

// Displacements are summed before the rest position is added, as on the CPU: they are the smaller numbers.
const shader = /* glsl */ `
uniform sampler2DArray columns;
uniform sampler2D coordinates;
uniform int count;
uniform int perLayer;
uniform int rows;

vec3 column(ivec2 at, int c) {
  return texelFetch(columns, ivec3(at.x, at.y + (c % perLayer) * rows, c / perLayer), 0).xyz;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec3 u = vec3(0.0);
  for (int i = 0; i < count; ++i) u += texelFetch(coordinates, ivec2(i, 0), 0).x * column(at, i + 1);
  bits = uvec4(floatBitsToUint(column(at, 0) + u), 0u);
}
`;

/** GLSL: `vec3 fieldPosition(uint point)` in a shader that has the field's uniforms. */
export const fieldGlsl = /* glsl */ `
uniform highp usampler2D field;
uniform int fieldShift;
vec3 fieldPosition(uint point) {
  int i = int(point);
  return uintBitsToFloat(texelFetch(field, ivec2(i & ((1 << fieldShift) - 1), i >> fieldShift), 0).xyz);
}
`;

export class DisplacedField {
  /** For shaders with `fieldGlsl`. */
  readonly uniforms: { readonly field: IUniform; readonly fieldShift: IUniform };
  private readonly pass: TexelPass;
  private readonly columns: DataArrayTexture;
  private readonly coordinates: DataTexture;
  private readonly q: Float32Array;
  private readonly rank: number;
  private dirty = true;

  /** rest: 3 n.  basis: 3 n r, by columns. Throws where they do not fit into textures. */
  constructor(limits: TextureLimits, rest: Float32Array, basis: Float32Array) {
    const rank = rest.length > 0 ? Math.floor(basis.length / rest.length) : 0;
    this.rank = rank;
    const layout = columnLayout(rest.length / 3, rank + 1, limits);
    const { grid } = layout;
    this.columns = new DataArrayTexture(
      packColumns(rest, basis, layout),
      grid.width,
      layout.layerHeight,
      layout.layers,
    );
    this.columns.format = RGBFormat;
    this.columns.type = FloatType;
    this.columns.internalFormat = 'RGB32F';
    this.columns.needsUpdate = true;
    // The device has its copy now, and the largest array of all need not stay here twice.
    this.columns.onUpdate = () => {
      this.columns.image.data = null;
    };
    this.q = new Float32Array(Math.max(1, rank));
    this.coordinates = new DataTexture(this.q, this.q.length, 1, RedFormat, FloatType);
    this.coordinates.needsUpdate = true;
    this.pass = new TexelPass(grid, shader, {
      columns: { value: this.columns },
      coordinates: { value: this.coordinates },
      count: { value: 0 },
      perLayer: { value: layout.perLayer },
      rows: { value: grid.height },
    });
    this.uniforms = { field: { value: this.pass.texture }, fieldShift: { value: grid.shift } };
  }

  /** q: r' numbers, the others are 0; those beyond the rank are ignored. */
  setCoordinates(q: Float32Array): void {
    const count = Math.min(q.length, this.rank);
    for (let i = 0; i < count; ++i) this.q[i] = q[i]!;
    this.q.fill(0, count);
    this.pass.uniforms.count!.value = count;
    this.coordinates.needsUpdate = true;
    this.dirty = true;
  }

  /** Computes the points where q was set anew, and says whether it was. Leaves the renderer with another target. */
  update(renderer: WebGLRenderer): boolean {
    if (!this.dirty) return false;
    this.dirty = false;
    this.pass.run(renderer);
    return true;
  }

  dispose(): void {
    this.columns.dispose();
    this.coordinates.dispose();
    this.pass.dispose();
  }
}
