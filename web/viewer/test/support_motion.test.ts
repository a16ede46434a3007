import { describe, expect, it } from 'vitest';
import type { Vector3 } from '../../runtime/src/types';
import { SupportMotion } from '../src/support_motion';
import { spline } from './spline';

const shake = { amplitude: [0.3, 0, 0], frequency: 2 } as const;
const other = { amplitude: [0, 0.1, 0.2], frequency: 5 } as const;
const distance = (a: Vector3, b: Vector3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** The exponent n with which |p| grows as e^n for small e. */
function order(p: (e: number) => number, e = 1e-3): number {
  return Math.log2(p(2 * e) / p(e));
}

/** As 3: value, velocity and acceleration agree at the time, since the difference grows with its third power. */
function orderOfDifference(a: SupportMotion, b: SupportMotion, now: number): number {
  return order((e) => distance(a.position(now + e), b.position(now + e)), 1e-4);
}

describe('what shakes a body', () => {
  const motion = SupportMotion.begin(1, shake);

  it('begins at rest, with the fourth power of time', () => {
    expect(motion.position(1)).toEqual([0, 0, 0]);
    expect(order((e) => motion.position(1 + e)[0])).toBeCloseTo(4, 1);
  });

  it('is a sine after half a period', () => {
    expect(motion.settled).toBe(1.25);
    expect(motion.ends).toBe(false);
    for (const t of [1.25, 1.4, 17.3]) {
      expect(motion.position(t)[0]).toBeCloseTo(0.3 * Math.sin(4 * Math.PI * (t - 1)), 12);
    }
  });

  it('never goes further than its amplitude, and as far as that', () => {
    const reached = Array.from({ length: 1001 }, (_, i) => Math.abs(motion.position(1 + i / 1000)[0]));
    expect(Math.max(...reached)).toBeLessThanOrEqual(0.3);
    expect(Math.max(...reached)).toBeGreaterThan(0.2999);
  });

  it('goes along the direction of its amplitude', () => {
    const [x, y, z] = SupportMotion.begin(0, other).position(0.33);
    expect(x).toBe(0);
    expect(z / y).toBeCloseTo(2, 12);
  });
});

// In the middle of the beginning, and under way.
describe.each([1.1, 3.37])('what shakes a body, changed at %d s', (now) => {
  const motion = SupportMotion.begin(1, shake);

  it('comes to rest within half a period, without a jump of velocity or acceleration', () => {
    const ended = motion.changed(now, null);
    expect(ended.ends).toBe(true);
    expect(ended.settled).toBeCloseTo(now + 0.25, 12);
    expect(distance(ended.position(now), motion.position(now))).toBeLessThan(1e-15);
    expect(orderOfDifference(motion, ended, now)).toBeCloseTo(3, 1);
    expect(order((e) => distance(ended.position(ended.settled - e), [0, 0, 0]))).toBeCloseTo(3, 1);
    for (const t of [ended.settled, ended.settled + 1]) {
      expect(ended.position(t)).toEqual([0, 0, 0]);
    }
  });

  it('takes another amplitude, direction and frequency without a jump either', () => {
    const next = motion.changed(now, other);
    expect(next.settled).toBeCloseTo(now + 0.1, 12); // half a period of the faster one
    expect(orderOfDifference(motion, next, now)).toBeCloseTo(3, 1);
    // A sine of the new frequency: a period later it is the same.
    expect(distance(next.position(now + 0.13), next.position(now + 0.33))).toBeLessThan(1e-12);
    const reached = Array.from({ length: 200 }, (_, i) => Math.hypot(...next.position(now + 0.1 + i / 1000)));
    expect(Math.max(...reached)).toBeCloseTo(Math.hypot(...other.amplitude), 3);
  });

  it('begins again before it has come to rest', () => {
    const ended = motion.changed(now, null);
    const again = ended.changed(now + 0.1, shake);
    expect(orderOfDifference(ended, again, now + 0.1)).toBeCloseTo(3, 1);
    expect(again.ends).toBe(false);
  });

  it('is changed as often as a slider moves', () => {
    let last = motion;
    for (let i = 0; i < 50; ++i) {
      const time = now + 0.01 * i;
      const next = last.changed(time, { amplitude: [0.3, 0, 0.01 * i], frequency: 2 + 0.1 * i });
      expect(distance(next.position(time), last.position(time))).toBeLessThan(1e-14);
      expect(Math.hypot(...next.position(time))).toBeLessThan(1);
      last = next;
    }
    expect(last.changed(now + 1, null).position(now + 2)).toEqual([0, 0, 0]);
  });
});

describe('keys', () => {
  it('ascend from the change on, and have the number that is asked for', () => {
    const motion = SupportMotion.begin(1, shake);
    const keys = motion.keys(0, 200);
    expect(keys[0]).toEqual({ time: 1, position: [0, 0, 0] });
    keys.slice(1).forEach(({ time }, i) => {
      expect(time).toBeGreaterThan(keys[i]!.time);
    });
    expect(motion.keys(7, 9).map(({ time }) => time)).toEqual([7, 8, 9].map((n) => motion.keyTime(n)));
    for (const t of [1.1, 1.25, 1.3, 9]) {
      expect(motion.keyTime(motion.keyAfter(t))).toBeGreaterThanOrEqual(t);
    }
    expect(motion.keyTime(motion.keyAfter(9) - 1)).toBeLessThan(9);
  });

  it('end where the motion does, where it was made to the bit', () => {
    for (const now of [1.1, 1.3, 1e3 / 3]) {
      const ended = SupportMotion.begin(1, shake).changed(now, null);
      const keys = ended.keys(0, 1000);
      expect(keys.at(-1)!.time).toBe(ended.settled);
      expect(keys.at(-1)!.position).toEqual([0, 0, 0]);
    }
  });

  it('are so dense that the spline through them is the motion', () => {
    const motion = SupportMotion.begin(1, shake);
    const path = spline(motion.keys(0, motion.keyAfter(3)));
    for (let t = 1; t < 2.5; t += 0.00123) {
      expect(distance(path(t), motion.position(t))).toBeLessThan(1e-4 * 0.3);
    }
  });
});
