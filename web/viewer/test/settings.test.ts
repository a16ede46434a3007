import { describe, expect, it } from 'vitest';
import { defaultSettings, lowestFrequency, niceBelow } from '../src/settings';

const forFrequency = (f: number) => defaultSettings(3, Float64Array.of(f, 3 * f, 10 * f));

/** Share of the critical damping of a vibration with this frequency, Hz. */
function dampingRatio(f: number, { mass, stiffness }: { mass: number; stiffness: number }): number {
  const w = 2 * Math.PI * f;
  return mass / (2 * w) + (stiffness * w) / 2;
}

describe('default settings', () => {
  it('run a slow body in real time without gravity', () => {
    expect(forFrequency(1)).toMatchObject({
      paused: false,
      speed: 1,
      timeStep: 0.002,
      gravity: [0, 0, 0],
      rank: 3,
    });
  });

  it('show a fast body in slow motion with small steps', () => {
    expect(forFrequency(300)).toMatchObject({ speed: 1 / 100, timeStep: 5e-5 });
  });

  it.each([0.2, 1, 5, 20, 300, 2000])('take 40 steps a period or more at %d Hz', (f) => {
    expect(f * forFrequency(f).timeStep).toBeLessThanOrEqual(1 / 40);
  });

  it('bring bodies to rest in a few seconds as seen', () => {
    for (const f of [3, 10, 40, 300, 1000]) {
      const { speed, damping } = forFrequency(f);
      // Seconds of the wall clock until exp(-ratio w t) = 5 %.
      const seconds = 3 / (dampingRatio(f, damping) * 2 * Math.PI * f * speed);
      expect(seconds).toBeGreaterThan(1);
      expect(seconds).toBeLessThan(3.5);
    }
  });

  it('damp ripples more than the slowest vibration', () => {
    const { damping } = forFrequency(5);
    expect(dampingRatio(50, damping)).toBeGreaterThan(4 * dampingRatio(5, damping));
  });

  it('leave out rigid motion of a body that is not held', () => {
    expect(lowestFrequency(Float64Array.of(0, 1e-9, 7, 9))).toBe(7);
  });

  it('exist for a body without any vibration', () => {
    expect(defaultSettings(1, Float64Array.of(0)).timeStep).toBe(0.002);
  });
});

describe('niceBelow', () => {
  it.each([
    [1, 1],
    [0.99, 0.5],
    [0.005, 0.005],
    [0.0049, 0.002],
    [1e-5, 1e-5],
    [37, 20],
  ])('rounds %d down to %d', (x, nice) => {
    expect(niceBelow(x)).toBe(nice);
  });
});
