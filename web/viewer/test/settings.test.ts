import { describe, expect, it } from 'vitest';
import {
  checkSettings,
  defaultSettings,
  lowestFrequency,
  niceBelow,
  suitableShakeFrequency,
} from '../src/settings';
import type { Settings } from '../src/protocol';
import { FakeBody } from './fake_body';

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
      shake: null,
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

describe('shaking', () => {
  const { info } = new FakeBody();
  const check = (shake: unknown, free = false): readonly string[] =>
    checkSettings({ shake } as Partial<Settings>, { ...info, free }).problems;

  it('is at first somewhat slower than the slowest vibration', () => {
    expect(suitableShakeFrequency(Float64Array.of(4.123, 9))).toBe(3.1);
    expect(suitableShakeFrequency(Float64Array.of(1e6))).toBe(1e4);
  });

  it('has an amplitude and a frequency, or ends', () => {
    expect(check({ amplitude: [0, 0, 0.1], frequency: 2 })).toEqual([]);
    expect(check(null)).toEqual([]);
  });

  it.each([
    { amplitude: [0, 0, 0], frequency: 2 },
    { amplitude: [0, 0, NaN], frequency: 2 },
    { amplitude: [0, 1], frequency: 2 },
    { amplitude: [0, 0, 1e5], frequency: 2 },
    { amplitude: [0, 0, 1], frequency: 0 },
    { amplitude: [0, 0, 1], frequency: 1e5 },
    { amplitude: [0, 0, 1], frequency: NaN },
  ])('is refused as %j', (shake) => {
    expect(check(shake)[0]).toMatch(/^Shaking: expected an amplitude above 0/);
  });

  it('is refused for a body that nothing holds', () => {
    expect(check({ amplitude: [0, 0, 1], frequency: 1 }, true)[0]).toMatch(/that nothing holds, found/);
    expect(check(null, true)).toEqual([]);
  });
});
