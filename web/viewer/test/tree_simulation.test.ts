import { beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Message } from '../src/protocol';
import { Simulation } from '../src/simulation';
import { splitByDomain } from '../src/stage/domain_colors';
import { FakeTree } from './fake_tree';

let tree: FakeTree;
let now: number;
let simulation: Simulation;

beforeEach(() => {
  tree = new FakeTree();
  now = 0;
  simulation = new Simulation(() => now);
  simulation.load(tree, 'bar.glb', true);
});

/** Of the tree. */
function inForce(): unknown {
  const asked = { rank: 0, method: 'linear', inertia: 'full' } as const;
  return simulation.inForce({ kind: 'settings', body: 1, settings: asked }).settings;
}

function frames(seconds: number): Frame[] {
  const messages: Message[] = [];
  const end = now + seconds;
  for (; now < end; now += 0.01) messages.push(...simulation.tick(now).messages);
  return messages.flatMap((message) => (message.kind === 'frame' ? [message.frame] : []));
}

describe('a tree of domains', () => {
  it('is shown by the positions of its vertices', () => {
    simulation.handle({ kind: 'settings', body: 1, settings: { speed: 1, timeStep: 0.01 } });
    const frame = frames(0.5).at(-1)!;
    expect(frame.q.length).toBe(6);
    expect(frame.q[3]).toBeCloseTo(1 + frame.time, 5);
  });

  it('is shown seldom while it rests', () => {
    tree.speed = 0;
    expect(frames(1).length).toBeLessThan(13);
  });

  it('is shaken by what holds it, with which its vertices come along by themselves', () => {
    simulation.handle({
      kind: 'settings',
      body: 1,
      settings: { speed: 1, timeStep: 0.01, shake: { amplitude: [1, 0, 0], frequency: 1 } },
    });
    expect(frames(1.3).at(-1)!.pose).toEqual([]);
    expect(tree.support!.length).toBeGreaterThan(10);
  });

  it('is pulled by springs', () => {
    const grab = { kind: 'grab', id: 1, origin: [1, 0, 1], direction: [0, 0, -1], strength: 2 } as const;
    expect(simulation.handle(grab)).toEqual([
      { kind: 'grabbed', id: 1, body: 1, vertex: 1, point: [1, 0, 0] },
    ]);
    simulation.handle({ kind: 'drag', id: 1, target: [1, 1, 0] });
    expect(tree.springs).toEqual([{ vertex: 1, target: [1, 1, 0], stiffness: 200 }]);
  });

  it('has a stiffness for each domain, which pulls follow', () => {
    const grab = { kind: 'grab', id: 1, origin: [1, 0, 1], direction: [0, 0, -1], strength: 2 } as const;
    simulation.handle(grab);
    simulation.handle({ kind: 'stiffness', body: 1, domains: [0, 2], factor: 3 });
    expect(tree.factors).toEqual([3, 1, 3]);
    expect(tree.springs[0]!.stiffness).toBe(600);
  });

  it('refuses a stiffness that makes no sense, and says what is in force', () => {
    for (const [domains, factor] of [
      [[0], 0],
      [[0], NaN],
      [[3], 1],
      [[0, 0.5], 1],
    ] as const) {
      const command = { kind: 'stiffness', body: 1, domains, factor } as const;
      expect(() => simulation.handle(command)).toThrow(/expected/);
      expect(simulation.inForce(command)).toEqual({ stiffness: [1, 1, 0.5] });
    }
  });

  it('has an inertia of subtrees', () => {
    simulation.handle({ kind: 'settings', body: 1, settings: { inertia: 'center' } });
    expect(tree.inertia).toBe('center');
    expect(inForce()).toMatchObject({ inertia: 'center' });
  });

  it.each([{ rank: 1 }, { method: 'warped' }, { inertia: 'half' }])('refuses %o', (settings) => {
    const [message] = simulation.handle({ kind: 'settings', body: 1, settings: settings as object });
    expect(message).toMatchObject({ kind: 'failed', command: 'settings' });
    expect(inForce()).toMatchObject({ rank: 2, method: 'reduced', inertia: 'full' });
  });
});

describe('the surface of several domains', () => {
  it('has a part for each domain and part in it', () => {
    const white = { name: 'bark', color: [1, 1, 1] } as const;
    const green = { name: 'leaf', color: [0, 1, 0] } as const;
    const surface = splitByDomain({
      ...tree.surface(),
      positions: new Float32Array(9),
      triangles: Uint32Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2),
      triangleParts: Uint32Array.of(0, 1, 1, 1),
      parts: [white, green],
      vertexDomains: Int32Array.of(0, 0, 1),
      triangleDomains: Uint32Array.of(0, 0, 1, 1),
    });
    expect(surface.parts).toEqual([white, green, green]);
    expect([...surface.triangleParts]).toEqual([0, 1, 2, 2]);
    expect([...surface.partDomains]).toEqual([0, 0, 1]);
  });
});
