import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { load, loadTree, open, Tree, type Pull, type SubtreeInertia, type Vector3 } from '../src/index';
import { needsReference, readModel, reference, temporaryFile, treePath } from './models';

/** What a script does with a tree, here and in tests/web/live_reference.cpp. */
type Action =
  | { action: 'gravity'; value: Vector3 }
  | { action: 'damping'; mass: number; stiffness: number }
  | { action: 'force'; vertex: number; value: Vector3 }
  | { action: 'clear_forces' }
  | { action: 'pulls'; value: readonly Pull[] }
  | { action: 'stiffness'; domain: number; value: number }
  | { action: 'inertia'; value: SubtreeInertia }
  | { action: 'wind'; value: Vector3; gusts: number }
  | { action: 'state'; q: number[]; v: number[] }
  | { action: 'reset' }
  | { action: 'step'; h: number; count: number; iterations?: number }
  | { action: 'sample'; vertex: number; pulls?: number };

type Sample = Record<'time' | 'elastic' | 'kinetic' | 'stiffness' | 'lowest', number> &
  Record<'q' | 'v' | 'position', number[]> & { pulls: number[][] };

function sample(tree: Tree, vertex: number, pulls: number): Sample {
  const { time, q, v, elasticEnergy: elastic, kineticEnergy: kinetic } = tree.state;
  return {
    ...{ time, q: [...q], v: [...v], elastic, kinetic },
    position: [...tree.position(vertex)],
    stiffness: tree.stiffnessAt(vertex),
    lowest: tree.lowestFrequency(),
    pulls: Array.from({ length: pulls }, (_, i) => [...tree.pullForce(i)]),
  };
}

function runScript(tree: Tree, script: readonly Action[]): Sample[] {
  const samples: Sample[] = [];
  for (const item of script) {
    if (item.action === 'gravity') tree.setGravity(item.value);
    else if (item.action === 'damping') tree.setDamping(item);
    else if (item.action === 'force') tree.applyForce(item.vertex, item.value);
    else if (item.action === 'clear_forces') tree.clearForces();
    else if (item.action === 'pulls') tree.setPulls(item.value);
    else if (item.action === 'stiffness') tree.setStiffness(item.domain, item.value);
    else if (item.action === 'inertia') tree.setInertia(item.value);
    else if (item.action === 'wind') tree.setWind(item.value, item.gusts);
    else if (item.action === 'state') tree.setState(item.q, item.v);
    else if (item.action === 'reset') tree.reset();
    else if (item.action === 'step') tree.step(item.h, item.count, { iterations: item.iterations ?? 1 });
    else samples.push(sample(tree, item.vertex, item.pulls ?? 0));
  }
  return samples;
}

/** Largest difference as a share of the largest number. */
function difference(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  const scale = Math.max(...expected.map(Math.abs));
  const worst = Math.max(...found.map((x, i) => Math.abs(x - expected[i]!)));
  return worst === 0 ? 0 : worst / scale;
}

const coordinates = 8 + 2 * 6;
const ramp = (amplitude: number): number[] =>
  Array.from({ length: coordinates }, (_, i) => amplitude * Math.sin(i + 1));

/** The vertex that is farthest along an axis. */
function extreme(positions: Float32Array, axis: number): number {
  let best = 0;
  for (let v = 0; 3 * v < positions.length; ++v) {
    if (positions[3 * v + axis]! > positions[3 * best + axis]!) best = v;
  }
  return best;
}

describe.skipIf(needsReference)(`a tree of domains${needsReference}`, () => {
  let tree: Tree;
  let tip: number;

  beforeEach(async () => {
    tree = await loadTree(readFileSync(treePath()));
    tip = extreme(tree.surface().positions, 1); // of a twig
  });
  afterEach(() => {
    tree.dispose();
  });

  it('says what it is made of', () => {
    const { domains, kinds, coordinateCount, free, depth } = tree.info;
    expect(domains.map(({ name }) => name)).toEqual(['stem', 'twig 1', 'twig 2', 'knob']);
    expect(domains.map(({ parent }) => parent)).toEqual([-1, 0, 0, 0]);
    expect(domains[1]!.kind).toBe(domains[2]!.kind);
    expect(domains.map(({ kind }) => kinds[kind]!.rank)).toEqual([8, 6, 6, 0]);
    expect({ coordinateCount, free, depth }).toEqual({ coordinateCount: coordinates, free: false, depth: 2 });
    expect(tree.reach().length).toBe(coordinates);
  });

  it('has a surface whose vertices and triangles know their domains', () => {
    const { positions, triangles, triangleParts, parts, vertexDomains, triangleDomains } = tree.surface();
    expect(positions.length).toBe(3 * tree.info.vertexCount);
    expect(triangles.length).toBe(3 * tree.info.triangleCount);
    expect(vertexDomains.length).toBe(tree.info.vertexCount);
    expect(new Set(triangleDomains)).toEqual(new Set([0, 1, 2, 3]));
    expect(Math.max(...triangleParts)).toBeLessThan(parts.length);
    triangleDomains.forEach((domain, t) => {
      for (let k = 0; k < 3; ++k) expect(vertexDomains[triangles[3 * t + k]!]).toBe(domain);
    });
    expect(difference([...tree.positions()], [...positions])).toBeLessThan(1e-6);
  });

  const scripts: Record<string, (vertex: number) => Action[]> = {
    'pulls, gravity and stiffness of a domain': (vertex) => [
      { action: 'damping', mass: 0.2, stiffness: 0.002 },
      { action: 'gravity', value: [0, 0, -9.81] },
      { action: 'step', h: 0.005, count: 40 },
      { action: 'sample', vertex },
      { action: 'pulls', value: [{ vertex, target: [0.4, 0.4, 0.2], stiffness: 20 }] },
      { action: 'step', h: 0.005, count: 60 },
      { action: 'sample', vertex, pulls: 1 },
      { action: 'stiffness', domain: 1, value: 0.3 },
      { action: 'step', h: 0.005, count: 60 },
      { action: 'sample', vertex, pulls: 1 },
    ],
    'lumped subtrees, forces and a state': (vertex) => [
      { action: 'inertia', value: 'interface' },
      { action: 'state', q: ramp(0.01), v: ramp(0.1) },
      { action: 'force', vertex, value: [0, 0.1, 0.2] },
      { action: 'step', h: 0.002, count: 50 },
      { action: 'sample', vertex },
      { action: 'clear_forces' },
      { action: 'inertia', value: 'center' },
      { action: 'step', h: 0.002, count: 50, iterations: 8 },
      { action: 'sample', vertex },
      { action: 'reset' },
      { action: 'wind', value: [3, 5, 0], gusts: 0.5 },
      { action: 'step', h: 0.01, count: 50 },
      { action: 'sample', vertex },
    ],
  };

  it.each(Object.keys(scripts))('moves as natively: %s', (name) => {
    const script = scripts[name]!(tip);
    const path = temporaryFile('tree_script.json', JSON.stringify(script));
    const printed = execFileSync(reference!, [treePath(), path], { encoding: 'utf8' });
    const expected = JSON.parse(printed) as Sample[];
    const found = runScript(tree, script);
    expect(found.length).toBe(expected.length);
    found.forEach((each, i) => {
      const native = expected[i]!;
      for (const key of ['q', 'v', 'position'] as const) {
        expect(difference(each[key], native[key]), `${key} of sample ${i}`).toBeLessThan(1e-9);
      }
      for (const key of ['time', 'elastic', 'kinetic', 'stiffness', 'lowest'] as const) {
        expect(difference([each[key]], [native[key]]), `${key} of sample ${i}`).toBeLessThan(1e-8);
      }
      expect(difference([1, ...each.pulls.flat()], [1, ...native.pulls.flat()])).toBeLessThan(1e-8);
    });
    expect(found.some(({ elastic }) => elastic > 1e-6)).toBe(true);
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
    expect(difference([...tree.position(tip)], [...there])).toBeLessThan(1e-12);
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
    tree.positionsInto(room);
    expect(room).toEqual(tree.positions());
    expect(() => {
      tree.positionsInto(new Float32Array(3));
    }).toThrow(/room for 3 numbers/);
  });

  it.each<[string, (tree: Tree) => unknown, RegExp]>([
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
      'conjugate gradients',
      (t) => {
        t.step(0.01, 1, { solver: 'cg' });
      },
      /cg/,
    ],
    [
      'a state of another size',
      (t) => {
        t.setState([0], [0]);
      },
      /q/,
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

  it('is opened as what it is', async () => {
    await expect(load(readFileSync(treePath()))).rejects.toThrow(/loadTree/);
    await expect(loadTree(readModel('exact'))).rejects.toThrow(/single body/);
    const opened = await open(readFileSync(treePath()));
    expect(opened).toBeInstanceOf(Tree);
    opened.dispose();
    expect(() => opened.energy).toThrow(/the tree was disposed of/);
  });

  it('is not read from a damaged file', async () => {
    const bytes = new Uint8Array(readFileSync(treePath()));
    await expect(open(bytes.subarray(0, bytes.length - 100))).rejects.toThrow();
  });
});
