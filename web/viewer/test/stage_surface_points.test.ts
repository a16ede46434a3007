import { describe, expect, it } from 'vitest';
import { displacedVertex, lowest } from '../src/stage/surface_points';

const surface = {
  positions: Float32Array.of(0, 0, 0, 1, 2, 3),
  triangles: new Uint32Array(0),
  triangleParts: new Uint32Array(0),
  parts: [],
  vertexDomains: new Int32Array(2),
  triangleDomains: new Uint32Array(0),
  basis: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 100),
  rotations: Float32Array.of(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0),
};

describe('displacedVertex', () => {
  it('adds up all columns of the basis', () => {
    expect(displacedVertex(surface, Float32Array.of(2, 3), 1, false)).toEqual([3, 32, 303]);
  });

  it('takes fewer coordinates than there are columns', () => {
    expect(displacedVertex(surface, Float32Array.of(2), 1, false)).toEqual([3, 2, 3]);
  });

  it('ignores coordinates beyond the rank', () => {
    expect(displacedVertex(surface, Float32Array.of(2, 3, 4, 5), 1, false)).toEqual([3, 32, 303]);
  });
});

describe('displacedVertex of warped modes', () => {
  it('turns the displacement by the mean of all rotations up to that of the vertex', () => {
    // Along x, turned about z by 2 rad at last: the integral of (cos, sin) over the angle, over 2 rad.
    const [x, y, z] = displacedVertex(surface, Float32Array.of(2), 1, true);
    expect(x).toBeCloseTo(1 + 2 * (Math.sin(2) / 2), 9);
    expect(y).toBeCloseTo(2 + 2 * ((1 - Math.cos(2)) / 2), 9);
    expect(z).toBe(3);
  });

  it('is as it was where the surface knows no rotations', () => {
    const without = { ...surface, rotations: null };
    expect(displacedVertex(without, Float32Array.of(2), 1, true)).toEqual([3, 2, 3]);
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
