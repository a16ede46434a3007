// Where bodies stand in the scene: where they were made, or beside each other.

import type { Vector3 } from '../../runtime/src/types';
import { pointOf, type Upright, uprightOf } from './up';

/** Along the axes. */
export interface Box {
  readonly low: Vector3;
  readonly high: Vector3;
}

/** Room between bodies that are set apart, as a share of the size of the one that is moved. */
const gap = 0.2;

const axes = [0, 1, 2] as const;

export function plus(a: Vector3, b: Vector3): Vector3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function minus(a: Vector3, b: Vector3): Vector3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

/** About points, 3 n numbers; a point at the origin where there are none. */
export function boxOf(positions: Float32Array): Box {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i + 2 < positions.length; i += 3) {
    for (const axis of axes) {
      low[axis] = Math.min(low[axis], positions[i + axis]!);
      high[axis] = Math.max(high[axis], positions[i + axis]!);
    }
  }
  return positions.length > 0 ? { low, high } : { low: [0, 0, 0], high: [0, 0, 0] };
}

/** Diagonal, m. */
export function sizeOf({ low, high }: Box): number {
  return Math.hypot(...minus(high, low));
}

export function movedBox({ low, high }: Box, by: Vector3): Box {
  return { low: plus(low, by), high: plus(high, by) };
}

/** About boxes, one at least. */
export function boxAbout(boxes: readonly Box[]): Box {
  const ends = (side: 'low' | 'high', of: (...values: number[]) => number): Vector3 => {
    const end = (axis: 0 | 1 | 2): number => of(...boxes.map((box) => box[side][axis]));
    return [end(0), end(1), end(2)];
  };
  return { low: ends('low', Math.min), high: ends('high', Math.max) };
}

/** Whether they share more than what two boxes do that touch; what is flat is shared whole. */
function overlap(a: Box, b: Box): boolean {
  return axes.every((axis) => {
    const shared = Math.min(a.high[axis], b.high[axis]) - Math.max(a.low[axis], b.low[axis]);
    const flat = [a, b].some(({ low, high }) => low[axis] === high[axis]);
    return shared > 0 || (shared === 0 && flat);
  });
}

/** m by which a body with this box at rest is moved to stand among others: none where it overlaps no other; else to the side, beyond all. */
export function placeAmong(box: Box, others: readonly Box[], upright: Upright = uprightOf('z')): Vector3 {
  if (!others.some((other) => overlap(box, other))) return [0, 0, 0];
  const { side } = upright;
  const end = Math.max(...others.map(({ high }) => high[side]));
  return pointOf(upright, end + gap * sizeOf(box) - box.low[side], 0, 0);
}
