// A displacement as warped modes have it: turned by the mean of all rotations from none to that of the rotation vector w at the point,
//
//   R~ u = u + c1 w x u + c2 w x (w x u),   c1 = (1 - cos t) / t^2,   c2 = (t - sin t) / t^3,   t = |w|.
//                                                                          [Choi & Ko 2005, Eq. 22 and Appendix II]
// Up to half a turn c1 and c2 come from their power series in t^2: the formulas divide zero by zero at rest, cancel near it, and need
// sines that are better than those of some graphics devices.

import type { Vector3 } from '../../../runtime/src/types';

/** t^2 up to which the series are taken; what they leave out is 1e-9 of them there. */
const seriesLimit = 10;
// c1 = 1/2 (1 - x/12 (1 - x/30 (...))), c2 = 1/6 (1 - x/20 (1 - x/42 (...))), x = t^2.
const firstDivisors = [12, 30, 56, 90, 132, 182, 240, 306];
const secondDivisors = [20, 42, 72, 110, 156, 210, 272, 342];

const nestedGlsl = (divisors: readonly number[]): string =>
  divisors.reduceRight((inner, divisor) => `(1.0 - x / ${divisor}.0 * ${inner})`, '1.0');

/** GLSL: `vec3 meanTurned(vec3 w, vec3 u)` is R~ u. */
export const meanRotationGlsl = /* glsl */ `
vec3 meanTurned(vec3 w, vec3 u) {
  float x = dot(w, w);
  float c1;
  float c2;
  if (x < ${seriesLimit}.0) {
    c1 = ${nestedGlsl(firstDivisors)} / 2.0;
    c2 = ${nestedGlsl(secondDivisors)} / 6.0;
  } else {
    float t = sqrt(x);
    c1 = (1.0 - cos(t)) / x;
    c2 = (t - sin(t)) / (t * x);
  }
  vec3 v = cross(w, u);
  return u + c1 * v + c2 * cross(w, v);
}
`;

function nested(x: number, divisors: readonly number[]): number {
  return divisors.reduceRight((inner, divisor) => 1 - (x / divisor) * inner, 1);
}

function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** R~ u, as the shader has it. */
export function meanTurned(w: Vector3, u: Vector3): Vector3 {
  const x = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  const t = Math.sqrt(x);
  const series = x < seriesLimit;
  const c1 = series ? nested(x, firstDivisors) / 2 : (1 - Math.cos(t)) / x;
  const c2 = series ? nested(x, secondDivisors) / 6 : (t - Math.sin(t)) / (t * x);
  const v = cross(w, u);
  const vv = cross(w, v);
  return [u[0] + c1 * v[0] + c2 * vv[0], u[1] + c1 * v[1] + c2 * vv[1], u[2] + c1 * v[2] + c2 * vv[2]];
}
