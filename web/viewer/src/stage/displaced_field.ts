// Points that follow the reduced coordinates, x + sum_i q_i U_i, computed on the graphics device. A new q is the only thing
// that goes there.                                                           [Barbic & James 2005, section 6.4]
// Bodies of several domains have no such coordinates: their points come from the simulation.
// Warped modes turn the sum by the mean rotation of sum_i q_i Psi_i.           [Choi & Ko 2005, Eq. 22, Appendix III]

import {
  DataArrayTexture,
  DataTexture,
  FloatType,
  Matrix4,
  RedFormat,
  RGBFormat,
  type IUniform,
  type WebGLRenderer,
} from 'three';
import { meanRotationGlsl } from './mean_rotation';
import { TexelPass } from './texel_pass';
import { columnLayout, type ColumnLayout, packColumns, type TextureLimits } from './texture_layout';

// Displacements are summed before the rest position is added, as on the CPU: they are the smaller numbers.
const shader = /* glsl */ `
uniform sampler2DArray columns;
uniform sampler2D coordinates;
uniform int count;
uniform int perLayer;
uniform int rows;
uniform bool warped;
uniform mat4 pose;
uniform sampler2DArray rotations;
uniform int rotationsPerLayer;
${meanRotationGlsl}

ivec3 place(int c, int each) {
  ivec2 at = ivec2(gl_FragCoord.xy);
  return ivec3(at.x, at.y + (c % each) * rows, c / each);
}
float coordinate(int i) { return texelFetch(coordinates, ivec2(i, 0), 0).x; }
vec3 column(int c) { return texelFetch(columns, place(c, perLayer), 0).xyz; }
vec3 rotation(int c) { return texelFetch(rotations, place(c, rotationsPerLayer), 0).xyz; }

void main() {
  vec3 u = vec3(0.0);
  for (int i = 0; i < count; ++i) u += coordinate(i) * column(i + 1);
  if (warped) {
    vec3 w = vec3(0.0);
    for (int i = 0; i < count; ++i) w += coordinate(i) * rotation(i);
    u = meanTurned(w, u);
  }
  bits = uvec4(floatBitsToUint((pose * vec4(column(0) + u, 1.0)).xyz), 0u);
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
  private rotationColumns: DataArrayTexture | null = null;
  private readonly coordinates: DataTexture;
  private readonly q: Float32Array;
  private readonly rank: number;
  private readonly points: number;
  /** What setPositions() sends to the device; made when it is first needed. */
  private packed: Float32Array | null = null;
  private dirty = true;

  /**
   * rest: 3 n.  basis: 3 n r, by columns.  rotations: as the basis; null: there are none, and nothing is warped.
   * Throws where they do not fit into textures.
   */
  constructor(
    private readonly limits: TextureLimits,
    rest: Float32Array,
    basis: Float32Array,
    private readonly rotations: Float32Array | null = null,
  ) {
    const rank = rest.length > 0 ? Math.floor(basis.length / rest.length) : 0;
    this.rank = rank;
    const layout = columnLayout(rest.length / 3, rank + 1, limits);
    const { grid } = layout;
    this.points = rest.length / 3;
    this.columns = columnTexture(packColumns(rest, basis, layout), layout);
    this.q = new Float32Array(Math.max(1, rank));
    this.coordinates = new DataTexture(this.q, this.q.length, 1, RedFormat, FloatType);
    this.coordinates.needsUpdate = true;
    this.pass = new TexelPass(grid, shader, {
      columns: { value: this.columns },
      coordinates: { value: this.coordinates },
      count: { value: 0 },
      perLayer: { value: layout.perLayer },
      rows: { value: grid.height },
      warped: { value: false },
      pose: { value: new Matrix4() },
      rotations: { value: null },
      rotationsPerLayer: { value: 1 },
    });
    this.uniforms = { field: { value: this.pass.texture }, fieldShift: { value: grid.shift } };
  }

  /** q: r' numbers, the others are 0; those beyond the rank are ignored. warped: of warped modes. pose: of all points together. */
  setCoordinates(q: Float32Array, warped: boolean, pose: Matrix4): void {
    (this.pass.uniforms.pose!.value as Matrix4).copy(pose);
    this.pass.uniforms.warped!.value = warped && this.provideRotations();
    const count = Math.min(q.length, this.rank);
    for (let i = 0; i < count; ++i) this.q[i] = q[i]!;
    this.q.fill(0, count);
    this.pass.uniforms.count!.value = count;
    this.coordinates.needsUpdate = true;
    this.dirty = true;
  }

  /** x: 3 n, in place of the rest positions. Of a field without a basis. */
  setPositions(x: Float32Array): void {
    const { width, height } = this.columns;
    this.packed ??= new Float32Array(3 * width * height);
    this.packed.set(x);
    this.columns.image.data = this.packed;
    this.columns.needsUpdate = true;
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
    this.rotationColumns?.dispose();
    this.coordinates.dispose();
    this.pass.dispose();
  }

  /** They double the memory of the field, so that they go to the device when something is first warped. Whether there are any. */
  private provideRotations(): boolean {
    if (!this.rotations || this.rank === 0) return false;
    if (!this.rotationColumns) {
      const length = 3 * this.points;
      const layout = columnLayout(this.points, this.rank, this.limits);
      const packed = packColumns(this.rotations.subarray(0, length), this.rotations.subarray(length), layout);
      this.rotationColumns = columnTexture(packed, layout);
      this.pass.uniforms.rotations!.value = this.rotationColumns;
      this.pass.uniforms.rotationsPerLayer!.value = layout.perLayer;
    }
    return true;
  }
}

function columnTexture(packed: Float32Array, { grid, layerHeight, layers }: ColumnLayout): DataArrayTexture {
  const texture = new DataArrayTexture(packed, grid.width, layerHeight, layers);
  texture.format = RGBFormat;
  texture.type = FloatType;
  texture.internalFormat = 'RGB32F';
  texture.needsUpdate = true;
  // The device has its copy now, and the largest array of all need not stay here twice.
  texture.onUpdate = () => {
    texture.image.data = null;
  };
  return texture;
}
