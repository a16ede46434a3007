import { describe, expect, it } from 'vitest';
import type { Vector3 } from '../../runtime/src/types';
import { meanRotationGlsl, meanTurned } from '../src/stage/mean_rotation';

/** The rotation vector w applied to u, by Rodrigues' formula. */
function turned(w: Vector3, u: Vector3): Vector3 {
  const t = Math.hypot(...w);
  if (t === 0) return u;
  const [x, y, z] = w.map((c) => c / t) as [number, number, number];
  const [c, s] = [Math.cos(t), Math.sin(t)];
  const along = (x * u[0] + y * u[1] + z * u[2]) * (1 - c);
  return [
    c * u[0] + s * (y * u[2] - z * u[1]) + along * x,
    c * u[1] + s * (z * u[0] - x * u[2]) + along * y,
    c * u[2] + s * (x * u[1] - y * u[0]) + along * z,
  ];
}

/** The mean of the rotations x w over x from 0 to 1, by Simpson's rule. */
function integrated(w: Vector3, u: Vector3): Vector3 {
  const count = 400;
  const sum: [number, number, number] = [0, 0, 0];
  for (let i = 0; i <= count; ++i) {
    const weight = (i === 0 || i === count ? 1 : i % 2 === 1 ? 4 : 2) / (3 * count);
    const share = i / count;
    const value = turned([w[0] * share, w[1] * share, w[2] * share], u);
    for (let axis = 0; axis < 3; ++axis) sum[axis]! += weight * value[axis]!;
  }
  return sum;
}

function distance(a: Vector3, b: Vector3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** A rotation vector of t rad. */
function turnBy(t: number): Vector3 {
  return [(t * 2) / 7, (t * 3) / 7, (t * 6) / 7];
}

const u: Vector3 = [0.3, -0.5, 0.8];

describe('the mean rotation', () => {
  it.each([0, 1e-9, 1e-3, 0.5, 2, 3.1, 3.2, 6, 9])('of %d rad is the integral of all up to it', (t) => {
    expect(distance(meanTurned(turnBy(t), u), integrated(turnBy(t), u))).toBeLessThan(3e-8);
  });

  it('is continuous where the series ends', () => {
    const [before, after] = [Math.sqrt(10) - 1e-12, Math.sqrt(10) + 1e-12];
    expect(distance(meanTurned(turnBy(before), u), meanTurned(turnBy(after), u))).toBeLessThan(1e-8);
  });

  it('leaves displacements as they are at rest', () => {
    expect(meanTurned([0, 0, 0], u)).toEqual(u);
  });

  it('makes no displacement longer', () => {
    for (const t of [0.1, 1, 3, 7])
      expect(Math.hypot(...meanTurned(turnBy(t), u))).toBeLessThan(Math.hypot(...u));
  });

  it('is written for shaders in numbers with a point', () => {
    expect(meanRotationGlsl).toContain('(1.0 - x / 12.0 * (1.0 - x / 30.0 *');
    expect(meanRotationGlsl.replace(/[ci]\d|vec3|\d+\.\d+/g, '')).not.toMatch(/\d/);
  });
});
