import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Body, load, type SubtreeInertia } from '../src/index';
import { needsReference, readModel } from './models';

const ramp = (amplitude: number): number[] =>
  Array.from({ length: 20 }, (_, i) => amplitude * Math.sin(i + 1));

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(...Array.from(a, (x, i) => x - b[i]!));
}

/** The vertex that is farthest along an axis. */
function extreme(positions: Float32Array, axis: number): number {
  let best = 0;
  for (let v = 0; 3 * v < positions.length; ++v) {
    if (positions[3 * v + axis]! > positions[3 * best + axis]!) best = v;
  }
  return best;
}

describe.skipIf(needsReference)(`a tree of domains${needsReference}`, () => {
  let tree: Body;
  let tip: number;

  beforeEach(async () => {
    tree = await load(readModel('tree'));
    tip = extreme(tree.surface().positions, 1); // of a twig
  });
  afterEach(() => {
    tree.dispose();
  });

  it('says what it is made of', () => {
    const { domains, parts, rank, free, depth, warpable } = tree.info;
    expect(domains.map(({ name }) => name)).toEqual(['stem', 'twig 1', 'twig 2', 'knob']);
    expect(domains.map(({ parent }) => parent)).toEqual([-1, 0, 0, 0]);
    expect(domains[1]!.part).toBe(domains[2]!.part);
    expect(domains.map(({ part }) => parts[part]!.rank)).toEqual([8, 6, 6, 0]);
    expect({ rank, free, depth, warpable }).toEqual({ rank: 20, free: false, depth: 2, warpable: false });
    expect(tree.info.regions).toEqual(parts[0]!.regions);
    expect(tree.simulationMesh()).toBe(null);
    expect(tree.reach().length).toBe(20);
  });

  it('has a surface whose vertices and triangles know their domains', () => {
    const surface = tree.surface();
    const { positions, triangles, triangleParts, parts, vertexDomains, triangleDomains } = surface;
    expect([surface.basis.length, surface.rotations]).toEqual([0, null]);
    expect(positions.length).toBe(3 * tree.info.vertexCount);
    expect(triangles.length).toBe(3 * tree.info.triangleCount);
    expect(vertexDomains.length).toBe(tree.info.vertexCount);
    expect(new Set(triangleDomains)).toEqual(new Set([0, 1, 2, 3]));
    expect(Math.max(...triangleParts)).toBeLessThan(parts.length);
    triangleDomains.forEach((domain, t) => {
      for (let k = 0; k < 3; ++k) expect(vertexDomains[triangles[3 * t + k]!]).toBe(domain);
    });
    expect(distance(tree.positions(), positions)).toBeLessThan(1e-6);
  });

  it('is softer where a domain is', () => {
    const before = tree.stiffnessAt(tip);
    tree.setStiffness(1, 0.1);
    expect(tree.stiffness(1)).toBe(0.1);
    expect(tree.stiffness(2)).toBe(1);
    expect(tree.stiffnessAt(tip)).toBeLessThan(0.9 * before);
  });

  it('goes back to a state', () => {
    tree.setGravity([0, 0, -9.81]);
    tree.step(0.005, 20);
    const { q, v, root } = tree.state;
    expect(root).toBe(null);
    const there = tree.position(tip);
    tree.step(0.005, 20);
    expect(tree.position(tip)).not.toEqual(there);
    tree.setState(q, v, root);
    expect(distance(tree.position(tip), there)).toBeLessThan(1e-12);
  });

  it('is picked where a ray meets it', () => {
    const [x, y] = tree.position(tip);
    const pick = tree.pick([x - 1e-4, y - 1e-3, 1], [0, 0, -1])!;
    expect(pick.hit).toBe(true);
    const [px, py, pz] = tree.position(pick.vertex); // of the upper end of the edge there
    expect(Math.hypot(px - x, py - y)).toBeLessThan(1e-6);
    expect(pz).toBeCloseTo(1 - pick.distance, 6);
  });

  it('knows how far its interfaces are from rigid', () => {
    tree.setState(ramp(0.02), ramp(0));
    const gap = tree.largestGap()!;
    expect(gap.domain).toBeGreaterThan(0);
    expect(gap.distance).toBeGreaterThan(0);
    expect(gap.share).toBeLessThan(1);
  });

  it('writes positions where they are wanted', () => {
    const room = new Float32Array(3 * tree.info.vertexCount);
    expect(tree.positions(room)).toBe(room);
    expect(room).toEqual(tree.positions());
    expect(() => tree.positions(new Float32Array(3))).toThrow(/room for 3 numbers/);
  });

  it.each<[string, (tree: Body) => unknown, RegExp]>([
    [
      'a domain that is not there',
      (t) => {
        t.setStiffness(4, 1);
      },
      /domain/,
    ],
    [
      'a stiffness of zero',
      (t) => {
        t.setStiffness(1, 0);
      },
      /stiffness|factor|positive/,
    ],
    [
      'a stiffness that is no number',
      (t) => {
        t.setStiffness(1, NaN);
      },
      /finite|factor/,
    ],
    [
      'an inertia by another name',
      (t) => {
        t.setInertia('half' as SubtreeInertia);
      },
      /interface/,
    ],
    [
      'warped modes',
      (t) => {
        t.setMethod('warped');
      },
      /does not take several domains; choose 'reduced' or 'linear'/,
    ],
    ['a vibration', (t) => t.modeShape(0), /4 domains/],
    [
      'a state of another size',
      (t) => {
        t.setState([0], [0]);
      },
      /coordinates/,
    ],
    ['a vertex that is not there', (t) => t.position(1e6), /vertex/],
    [
      'wind that is not finite',
      (t) => {
        t.setWind([0, Infinity, 0]);
      },
      /wind/,
    ],
  ])('refuses %s', (_, attempt, reason) => {
    expect(() => attempt(tree)).toThrow(reason);
    tree.step(0.001);
    expect(tree.energy.elastic).toBe(0);
  });

  it('has materials and ranks in each part', () => {
    const before = tree.frequencies()[0]!;
    tree.setMaterial(0, { young: 8e5 }, 0);
    expect(tree.material(0, 0).young).toBeCloseTo(8e5, 4);
    expect(tree.material(0, 1).young).toBeCloseTo(2e5, 4);
    expect(tree.frequencies()[0]!).toBeGreaterThan(1.2 * before);
    tree.setRank(3, 1);
    expect([tree.rank(0), tree.rank(1), tree.state.q.length, tree.reach().length]).toEqual([8, 3, 14, 14]);
  });

  it('is not read from a damaged file', async () => {
    const bytes = readModel('tree');
    await expect(load(bytes.subarray(0, bytes.length - 100))).rejects.toThrow();
  });
});
