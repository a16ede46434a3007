// Points of a surface, computed on the CPU.

import type { Surface, Vector3 } from '../../../runtime/src/types';

/** Vertex of a surface at the coordinates q, as many as there are: the others are 0. O(r). */
export function displacedVertex(surface: Surface, q: Float32Array, vertex: number): Vector3 {
  const { positions, basis } = surface;
  const displaced = (axis: number): number => {
    let displacement = 0;
    let row = 3 * vertex + axis;
    const rest = positions[row] ?? 0;
    for (let i = 0; i < q.length && row < basis.length; ++i, row += positions.length) {
      displacement += q[i]! * basis[row]!;
    }
    return rest + displacement;
  };
  return [displaced(0), displaced(1), displaced(2)];
}

/** Least coordinate along an axis of all points at rest (3 n), from an origin. Infinity where there are none. */
export function lowest(positions: Float32Array, origin: Vector3, axis: Vector3): number {
  let low = Infinity;
  for (let i = 0; i + 2 < positions.length; i += 3) {
    const height =
      (positions[i]! - origin[0]) * axis[0] +
      (positions[i + 1]! - origin[1]) * axis[1] +
      (positions[i + 2]! - origin[2]) * axis[2];
    low = Math.min(low, height);
  }
  return low;
}
