import { describe, expect, it } from 'vitest';
import { displacedVertex, lowest } from '../src/stage/surface_points';

const surface = {
  positions: Float32Array.of(0, 0, 0, 1, 2, 3),
  triangles: new Uint32Array(0),
  triangleParts: new Uint32Array(0),
  parts: [],
  basis: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 100),
};

describe('displacedVertex', () => {
  it('adds up all columns of the basis', () => {
    expect(displacedVertex(surface, Float32Array.of(2, 3), 1)).toEqual([3, 32, 303]);
  });

  it('takes fewer coordinates than there are columns', () => {
    expect(displacedVertex(surface, Float32Array.of(2), 1)).toEqual([3, 2, 3]);
  });

  it('ignores coordinates beyond the rank', () => {
    expect(displacedVertex(surface, Float32Array.of(2, 3, 4, 5), 1)).toEqual([3, 32, 303]);
  });
});

describe('lowest', () => {
  it('measures along the axis from the origin', () => {
    expect(lowest(surface.positions, [0, 0, 1], [0, 0, 1])).toBe(-1);
    expect(lowest(surface.positions, [0, 0, 0], [0, -1, 0])).toBe(-2);
  });

  it('is infinite without points', () => {
    expect(lowest(new Float32Array(0), [0, 0, 0], [0, 0, 1])).toBe(Infinity);
  });
});
