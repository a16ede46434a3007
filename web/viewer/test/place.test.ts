import { expect, it } from 'vitest';
import { type Box, boxOf, movedBox, placeAmong } from '../src/place';

const box = (x: number, width = 1, height = 1): Box => ({ low: [x, 0, 0], high: [x + width, 1, height] });

it('a body stands where it was made where nobody else does', () => {
  expect(placeAmong(box(0), [])).toEqual([0, 0, 0]);
  expect(placeAmong(box(2), [box(0)])).toEqual([0, 0, 0]);
  expect(placeAmong(box(1), [box(0)])).toEqual([0, 0, 0]); // they touch
});

it('a body that would stand in another one is set beside all of them, along x and with a gap', () => {
  const others = [box(0), box(5)];
  const place = placeAmong(box(0.5), others);
  expect(place.slice(1)).toEqual([0, 0]);
  const moved = movedBox(box(0.5), place);
  expect(moved.low[0]).toBeCloseTo(6 + 0.2 * Math.sqrt(3), 12);
  expect(placeAmong(moved, others)).toEqual([0, 0, 0]);
});

it('flat bodies in one plane stand in each other, too', () => {
  const flat = boxOf(new Float32Array([0, 0, 0, 1, 1, 0]));
  expect(flat).toEqual({ low: [0, 0, 0], high: [1, 1, 0] });
  expect(placeAmong(flat, [flat])[0]).toBeGreaterThan(1);
});
