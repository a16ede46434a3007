import { describe, expect, it } from 'vitest';
import { surfaceSites, type SurfaceSites } from '../src/stage/surface_sites';

/** A closed box of 12 triangles with shared vertices, stretched along z. */
function box(height: number) {
  const positions = new Float32Array(24);
  for (let v = 0; v < 8; ++v) positions.set([v & 1, (v >> 1) & 1, height * (v >> 2)], 3 * v);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]; // prettier-ignore
  const triangles = Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!]));
  return { positions, triangles, triangleParts: new Uint32Array(12) };
}

/** A fan of `count` triangles about vertex 0, which is raised by `height`. */
function fan(count: number, height: number) {
  const positions = new Float32Array(3 * (count + 1));
  positions[2] = height;
  const triangles = new Uint32Array(3 * count);
  for (let i = 0; i < count; ++i) {
    const angle = (2 * Math.PI * i) / count;
    positions.set([Math.cos(angle), Math.sin(angle), 0], 3 * (i + 1));
    triangles.set([0, 1 + i, 1 + ((i + 1) % count)], 3 * i);
  }
  return { positions, triangles, triangleParts: new Uint32Array(count) };
}

/** As the vertex shader does it. */
function siteNormal({ sites, pairs }: SurfaceSites, positions: Float32Array, site: number): number[] {
  const at = (v: number) => [0, 1, 2].map((i) => positions[3 * v + i]!);
  const [vertex, first, count] = sites.subarray(4 * site, 4 * site + 3);
  const o = at(vertex!);
  const sum = [0, 0, 0];
  for (let k = first!; k < first! + count!; ++k) {
    const a = at(pairs[2 * k]!).map((x, i) => x - o[i]!);
    const b = at(pairs[2 * k + 1]!).map((x, i) => x - o[i]!);
    for (let i = 0; i < 3; ++i)
      sum[i]! += a[(i + 1) % 3]! * b[(i + 2) % 3]! - a[(i + 2) % 3]! * b[(i + 1) % 3]!;
  }
  const length = Math.hypot(...sum);
  return sum.map((x) => x / length);
}

describe('surfaceSites', () => {
  it('keeps the vertices of every triangle', () => {
    const shape = box(1);
    const { sites, triangles } = surfaceSites(shape);
    expect(Array.from(triangles, (site) => sites[4 * site])).toEqual(Array.from(shape.triangles));
  });

  it('gives each corner of a box three sites whose normals are those of the faces', () => {
    const shape = box(2);
    const split = surfaceSites(shape);
    expect(split.sites.length / 4).toBe(24);
    for (let site = 0; site < 24; ++site) {
      const normal = siteNormal(split, shape.positions, site).map(Math.abs).sort();
      expect(normal).toEqual([0, 0, 1]);
    }
  });

  it('leaves a smooth vertex whole, with all of its triangles in their order', () => {
    const { sites, pairs } = surfaceSites(fan(6, 0.2));
    expect(Array.from(sites.subarray(0, 4))).toEqual([0, 0, 6, 0]);
    expect(Array.from(pairs.subarray(0, 12))).toEqual([1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 1]);
  });

  it('weights triangles by their area: the apex of an even fan points up', () => {
    const shape = fan(5, 0.3);
    const [x, y, z] = siteNormal(surfaceSites(shape), shape.positions, 0);
    expect(Math.hypot(x!, y!)).toBeLessThan(1e-6);
    expect(z).toBeCloseTo(1, 6);
  });

  it('takes a vertex of ten thousand triangles', () => {
    const { sites } = surfaceSites(fan(10_000, 0.1));
    expect(sites[2]).toBe(10_000);
  });

  it('separates parts by colour and not by normal', () => {
    const shape = fan(6, 0.2);
    shape.triangleParts.set([0, 0, 0, 1, 1, 1]);
    const { sites, triangles } = surfaceSites(shape);
    expect(Array.from(sites.subarray(0, 8))).toEqual([0, 0, 6, 0, 0, 0, 6, 1]);
    const parts = Array.from(triangles, (site) => sites[4 * site + 3]);
    expect(parts).toEqual([0, 1].flatMap((part) => Array<number>(9).fill(part)));
  });

  it('smooths over triangles without area', () => {
    const shape = fan(4, 0);
    shape.positions.set([0, 0, 0], 3); // two triangles collapse
    expect(surfaceSites(shape).sites[2]).toBe(4);
  });

  it('has no site for a vertex of no triangle', () => {
    const shape = { ...fan(3, 0.1), positions: new Float32Array(3 * 9) };
    const { sites } = surfaceSites(shape);
    expect(sites.length / 4).toBe(4);
  });
});
