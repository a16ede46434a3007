import { expect, test } from 'vitest';
import { SlowFrames } from '../src/stage/quality';

const anySlow = (intervals: number[]): boolean => {
  const frames = new SlowFrames();
  let now = 0;
  return intervals.map((interval) => frames.add((now += interval))).includes(true);
};

test('frames at the rate of a screen are never slow', () => {
  expect(anySlow(Array<number>(500).fill(1 / 60))).toBe(false);
});

test('frames that take a tenth of a second each are slow', () => {
  expect(anySlow(Array<number>(60).fill(0.1))).toBe(true);
});

test('a few slow frames among many are not', () => {
  expect(anySlow(Array.from({ length: 400 }, (_, i) => (i % 4 === 0 ? 0.2 : 1 / 60)))).toBe(false);
});

test('pauses do not count', () => {
  expect(anySlow(Array<number>(200).fill(3))).toBe(false);
});
