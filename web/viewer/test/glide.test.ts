import { describe, expect, it } from 'vitest';
import { type Course, Glide } from '../src/glide';

const from: Course = { value: 2, slope: -3, curvature: 40 };
const glide = new Glide(1, 0.5, from, 7);

describe('a glide', () => {
  it('goes on from how the number was and changed', () => {
    expect(glide.at(1)).toEqual(from);
  });

  it('arrives without slope and curvature, and stays', () => {
    const almost = glide.at(1.5 - 1e-9);
    expect(almost.value).toBeCloseTo(7, 12);
    expect(almost.slope).toBeCloseTo(0, 12);
    expect(Math.abs(almost.curvature)).toBeLessThan(1e-5);
    for (const t of [1.5, 2, 1e6]) expect(glide.at(t)).toEqual({ value: 7, slope: 0, curvature: 0 });
  });

  it('has the slope and the curvature of its value, and the integral', () => {
    // Remainders of central differences fall by 4 where the distance is halved.
    const remainders = (e: number): number[] => {
      const [before, now, after] = [glide.at(1.2 - e), glide.at(1.2), glide.at(1.2 + e)];
      return [
        (after.value - before.value) / (2 * e) - now.slope,
        (after.slope - before.slope) / (2 * e) - now.curvature,
        (glide.integral(1.2 + e) - glide.integral(1.2 - e)) / (2 * e) - now.value,
      ];
    };
    const [coarse, fine] = [remainders(1e-2), remainders(5e-3)];
    coarse.forEach((remainder, i) => {
      expect(remainder / fine[i]!).toBeCloseTo(4, 1);
    });
  });

  it('has an integral that goes on after its end', () => {
    expect(glide.integral(1)).toBe(0);
    expect(glide.integral(2.5) - glide.integral(1.5)).toBeCloseTo(7, 12);
  });

  it('that takes no time is there at once', () => {
    const jump = new Glide(3, 0, from, 7);
    expect(jump.at(3)).toEqual({ value: 7, slope: 0, curvature: 0 });
    expect(jump.integral(5)).toBe(14);
  });
});
