import { describe, expect, test } from 'vitest';
import { axisTop, niceCeiling, PlotRing } from '../src/ui/plot_ring';

describe('a ring of samples', () => {
  test('keeps the newest seconds only', () => {
    const ring = new PlotRing(1, 1, 0.1);
    for (let i = 0; i <= 30; ++i) ring.push(i * 0.1, [i]);
    expect(ring.value(ring.length - 1, 0)).toBe(30);
    expect(ring.age(0)).toBeLessThanOrEqual(1);
    expect(ring.age(0)).toBeGreaterThan(0.85);
    expect(ring.value(0, 0)).toBe(30 - Math.round(ring.age(0) / 0.1));
  });

  test('leaves out samples that come too soon', () => {
    const ring = new PlotRing(1, 1, 0.1);
    expect([0, 0.05, 0.1, 0.11].map((now) => ring.push(now, [now]))).toEqual([true, false, true, false]);
    expect(ring.length).toBe(2);
  });

  test('gives pauses no room', () => {
    const ring = new PlotRing(1, 10, 0.1);
    ring.push(0, [1]);
    ring.push(100, [2]);
    expect(ring.age(0)).toBeLessThan(1);
    expect(ring.length).toBe(2);
  });

  test('never grows beyond its memory', () => {
    const ring = new PlotRing(1, 10, 1);
    for (let i = 0; i < 100; ++i) ring.push(i, [i]); // the clock counts 0.25 s each: all are new
    expect(ring.length).toBe(12);
    expect(ring.value(0, 0)).toBe(88);
  });

  test('knows its largest finite value', () => {
    const ring = new PlotRing(2, 10, 0.1);
    ring.push(0, [1, Infinity]);
    ring.push(1, [NaN, 3]);
    expect(ring.largest()).toBe(3);
  });

  test('is empty after being cleared', () => {
    const ring = new PlotRing(1, 10, 0.1);
    ring.push(5, [1]);
    ring.clear();
    expect([ring.length, ring.largest()]).toEqual([0, 0]);
    expect(ring.push(5.01, [2])).toBe(true);
  });
});

describe('the top of an axis', () => {
  test('is 1, 2 or 5 times a power of ten', () => {
    expect([0.9, 1, 1.1, 2.5, 6, 30].map(niceCeiling)).toEqual([1, 1, 2, 5, 10, 50]);
  });

  test('is 1 for nothing', () => {
    expect([0, NaN, Infinity].map(niceCeiling)).toEqual([1, 1, 1]);
  });

  test('stays while the values suit it', () => {
    expect([axisTop(5, 4.9), axisTop(5, 2)]).toEqual([5, 5]);
  });

  test('grows at once, and shrinks when the values are much lower', () => {
    expect([axisTop(5, 5.1), axisTop(5, 1)]).toEqual([10, 2]);
  });
});
