import type { Surface } from '../../runtime/src/types';

/** How large a body is, and how far its coordinates move it. */
export class BodyScale {
  /** Diagonal of the box around the body at rest, m. */
  readonly size: number;
  /** m of the farthest vertex, per unit of each coordinate */
  private readonly farthest: Float64Array;

  /** farthest: of each coordinate, where the surface has no basis. */
  constructor(surface: Surface, rank: number, farthest?: Float64Array) {
    this.size = diagonal(surface.positions);
    this.farthest = farthest ?? farthestPerCoordinate(surface, rank);
  }

  /** No vertex is displaced by more than this, m: sum_i |q_i| max_v |U_vi|. Warping makes no displacement longer. */
  displacement(q: ArrayLike<number>): number {
    let sum = 0;
    for (let i = 0; i < q.length; ++i) sum += Math.abs(q[i]!) * this.farthest[i]!;
    return sum;
  }

  /** No vertex moves by more than this between two states of the same rank, m; of warped modes for small turns only. */
  distance(a: Float32Array, b: Float32Array): number {
    let sum = 0;
    for (let i = 0; i < a.length; ++i) sum += Math.abs(a[i]! - b[i]!) * this.farthest[i]!;
    return sum;
  }
}

/** Largest difference of two lists of positions in a coordinate, m. */
export function farthestApart(a: Float32Array, b: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < a.length; ++i) largest = Math.max(largest, Math.abs(a[i]! - b[i]!));
  return largest;
}

/** Diagonal of the box around points, 3 n numbers. */
export function diagonal(positions: Float32Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; ++i) {
    low[i % 3] = Math.min(low[i % 3]!, positions[i]!);
    high[i % 3] = Math.max(high[i % 3]!, positions[i]!);
  }
  return positions.length > 0 ? Math.hypot(high[0]! - low[0]!, high[1]! - low[1]!, high[2]! - low[2]!) : 0;
}

function farthestPerCoordinate(surface: Surface, rank: number): Float64Array {
  const { basis } = surface;
  const length = surface.positions.length;
  const farthest = new Float64Array(rank);
  for (let i = 0; i < rank; ++i) {
    let largest = 0;
    for (let k = i * length; k < (i + 1) * length; k += 3) {
      const x = basis[k]!;
      const y = basis[k + 1]!;
      const z = basis[k + 2]!;
      largest = Math.max(largest, x * x + y * y + z * z);
    }
    farthest[i] = Math.sqrt(largest);
  }
  return farthest;
}
