import { boxOf, sizeOf } from './place';

/** How large a body is, and how far its coordinates move it. */
export class BodyScale {
  /** Diagonal of the box around the body at rest, m. */
  readonly size: number;

  /** positions: at rest, 3 n.  farthest: m of the farthest vertex, per unit of each coordinate. */
  constructor(
    positions: Float32Array,
    private readonly farthest: Float64Array,
  ) {
    this.size = sizeOf(boxOf(positions));
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
