// Rotations as unit quaternions x, y, z, w, and poses, for code that draws nothing.

import type { Quaternion } from '../../runtime/src/types';

/** No rotation. */
export const upright: Quaternion = [0, 0, 0, 1];

function dot(a: Quaternion, b: Quaternion): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/** Whether two lists, such as poses, are the same. */
export function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

/** The smallest angle that turns one into the other, rad. Accurate for small angles, where the arc cosine of a product is not. */
export function angleBetween(a: Quaternion, b: Quaternion): number {
  const sign = dot(a, b) < 0 ? -1 : 1;
  const apart = Math.hypot(...a.map((x, i) => x - sign * b[i]!));
  return 4 * Math.asin(Math.min(1, apart / 2));
}

/** This rotation by the one of its two quaternions that is nearer to `near`. */
export function nearerSign(q: Quaternion, near: Quaternion): Quaternion {
  return dot(q, near) < 0 ? [-q[0], -q[1], -q[2], -q[3]] : q;
}

/**
 * A share of the turn from a to b, at constant speed. Signs count: quaternions with a negative product are more than half a turn
 * apart, and that is the way taken. A whole turn has no axis: b then. Of unit length to rounding.
 */
export function turnTowards(a: Quaternion, b: Quaternion, share: number): Quaternion {
  const half = 2 * Math.asin(Math.min(1, Math.hypot(...a.map((x, i) => x - b[i]!)) / 2));
  if (Math.PI - half < 1e-6) return b;
  // Below this the chord is the arc to rounding.
  const weight = (s: number): number => (half < 1e-6 ? s : Math.sin(s * half) / Math.sin(half));
  const [from, to] = [weight(1 - share), weight(share)];
  return unit([
    from * a[0] + to * b[0],
    from * a[1] + to * b[1],
    from * a[2] + to * b[2],
    from * a[3] + to * b[3],
  ]);
}

/** Of unit length. */
export function unit(q: Quaternion): Quaternion {
  const length = Math.hypot(...q);
  return [q[0] / length, q[1] / length, q[2] / length, q[3] / length];
}
