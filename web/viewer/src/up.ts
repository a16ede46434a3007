// Which way is up in a scene: as its first body stands.

import type { UpAxis, Vector3 } from '../../runtime/src/types';

const upAxes: readonly UpAxis[] = ['x', 'y', 'z'];

/** The coordinate that counts upward, one to the side along which things are set beside each other, and the third. */
export interface Upright {
  readonly up: 0 | 1 | 2;
  readonly side: 0 | 1 | 2;
  readonly depth: 0 | 1 | 2;
}

export function uprightOf(axis: UpAxis): Upright {
  const up = upAxes.indexOf(axis) as 0 | 1 | 2;
  const side = up === 0 ? 1 : 0;
  return { up, side, depth: (3 - up - side) as 0 | 1 | 2 };
}

/** Of unit length. */
export function upVector(axis: UpAxis): Vector3 {
  return [Number(axis === 'x'), Number(axis === 'y'), Number(axis === 'z')];
}

/** The point with these coordinates to the side, in depth and upward. */
export function pointOf({ up, side, depth }: Upright, x: number, y: number, z: number): Vector3 {
  const point: [number, number, number] = [0, 0, 0];
  point[side] = x;
  point[depth] = y;
  point[up] = z;
  return point;
}
