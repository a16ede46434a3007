// Points of a surface, computed on the CPU.

import type { Surface, Vector3 } from '../../../runtime/src/types';
import { meanTurned } from './mean_rotation';

/** Vertex of a surface at the coordinates q, as many as there are: the others are 0. warped: of warped modes. O(r). */
export function displacedVertex(surface: Surface, q: Float32Array, vertex: number, warped: boolean): Vector3 {
  const { positions, basis, rotations } = surface;
  const sum = (columns: Float32Array): Vector3 => {
    const total: [number, number, number] = [0, 0, 0];
    let row = 3 * vertex;
    for (let i = 0; i < q.length && row < columns.length; ++i, row += positions.length) {
      for (let axis = 0; axis < 3; ++axis) total[axis]! += q[i]! * columns[row + axis]!;
    }
    return total;
  };
  const displacement = sum(basis);
  const [x, y, z] = warped && rotations ? meanTurned(sum(rotations), displacement) : displacement;
  const rest = (axis: number): number => positions[3 * vertex + axis] ?? 0;
  return [rest(0) + x, rest(1) + y, rest(2) + z];
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
