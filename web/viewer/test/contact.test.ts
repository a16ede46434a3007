import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Body, load, World } from '../../runtime/src/index';
import { needsLimber, readModel } from '../../runtime/test/models';
import type { Vector3 } from '../../runtime/src/types';
import type { Frame, Message, Settings } from '../src/protocol';
import { Simulation } from '../src/simulation';
import type { ToolState } from '../src/tool';
import { FakeBody } from './fake_body';

let now: number;
let world: Simulation;

beforeEach(() => {
  now = 0;
  world = new Simulation(
    () => now,
    (body) => new World(body as Body),
  );
});
afterEach(() => {
  world.clear();
});

function set(settings: Partial<Settings>, body = 1): Message[] {
  return world.handle({ kind: 'settings', body, settings });
}

/** Lets the wall clock run; the last frame of each body. */
function run(seconds: number): Map<number, Frame> {
  const frames = new Map<number, Frame>();
  for (const end = now + seconds; now < end; now += 0.01) {
    for (const message of world.tick(now).messages) {
      if (message.kind === 'frame') frames.set(message.body, message.frame);
      expect(message.kind).not.toBe('restarted');
    }
  }
  return frames;
}

/** m by which the first body has risen. */
const risen = (frames: Map<number, Frame>): number => frames.get(1)!.shift![2];

describe('bodies that are held', () => {
  it('have no ground', () => {
    world.load(new FakeBody(), 'bar.glb', false);
    expect(world.settings.ground).toBe(true);
    expect(world.surroundings).toEqual({ up: 'z', ground: null, balls: [] });
    expect(() => world.handle({ kind: 'drop', body: 1 })).toThrow('held');
  });
});

/** A beam that nothing holds, 0.1 m high, whose lowest points are at 0. */
describe.skipIf(needsLimber)(`a body that nothing holds${needsLimber}`, () => {
  beforeEach(async () => {
    world.load(await load(readModel('free')), 'free.glb', true);
    set({ timeStep: 0.004, speed: 1, gravity: [0, 0, -9.81] });
  });

  it('lies on a ground below it, and is pushed there', () => {
    expect(world.surroundings.ground).toBeCloseTo(0, 6);
    const frames = run(2);
    expect(Math.abs(risen(frames))).toBeLessThan(0.005);
    const { contacts } = frames.get(1)!;
    expect(contacts.length).toBeGreaterThan(6);
    contacts.forEach((x, i) => {
      if (i % 3 === 2) expect(x).toBeCloseTo(0, 2);
    });
  });

  it('is dropped from its height, and lands', () => {
    run(0.5);
    world.handle({ kind: 'drop', body: 1 });
    const up = run(0.05);
    expect(risen(up)).toBeGreaterThan(0.07);
    expect(up.get(1)!.contacts).toEqual([]);
    const landed = run(2);
    expect(Math.abs(risen(landed))).toBeLessThan(0.01);
    expect(landed.get(1)!.contacts.length).toBeGreaterThan(0);
  });

  it('falls where the ground is switched off or its motion cannot touch', () => {
    set({ ground: false });
    expect(risen(run(0.5))).toBeLessThan(-0.5);
    world.handle({ kind: 'reset', body: null });
    set({ ground: true, method: 'warped' });
    expect(risen(run(0.5))).toBeLessThan(-0.5);
    set({ method: 'reduced' }); // which starts from rest
    expect(Math.abs(risen(run(0.5)))).toBeLessThan(0.01);
  });

  it('is pulled up from the ground and let go again', () => {
    run(0.2);
    const [grabbed] = world.handle({
      kind: 'grab',
      id: 1,
      origin: [0.2, 0.04, 1],
      direction: [0, 0, -1],
      strength: 10,
    });
    expect(grabbed).toMatchObject({ kind: 'grabbed', body: 1 });
    world.handle({ kind: 'drag', id: 1, target: [0.2, 0.04, 0.6] });
    const held = run(2);
    expect(held.get(1)!.pulls).toHaveLength(1);
    expect(risen(held)).toBeGreaterThan(0.2);
    world.handle({ kind: 'drag', id: 1, target: [0.2, 0.04, -0.5] }); // below the ground
    expect(risen(run(1))).toBeGreaterThan(-0.1);
    world.handle({ kind: 'release', id: 1 });
    expect(Math.abs(risen(run(2)))).toBeLessThan(0.05);
  });

  it('meets a ball, where there is one', () => {
    set({ obstacle: true });
    const [ball] = world.surroundings.balls;
    expect(ball!.center[2] - ball!.radius).toBeCloseTo(world.surroundings.ground!, 6);
    set({ gravity: [9.81, 0, -9.81] }); // it slides there, and stops before the ball's middle
    const reached = Math.max(
      ...run(1)
        .get(1)!
        .contacts.filter((_, i) => i % 3 === 0),
    );
    expect(reached).toBeGreaterThan(ball!.center[0] - ball!.radius - 0.05);
    set({ ground: false });
    expect(world.surroundings).toEqual({ up: 'z', ground: null, balls: [] });
  });

  it('lands on the same ground as others, wherever it was set', () => {
    world.copy(1, 'free.glb');
    const frames = run(1);
    for (const id of [1, 2]) {
      const { contacts, shift } = frames.get(id)!;
      expect(Math.abs(shift![2])).toBeLessThan(0.005);
      expect(contacts.length).toBeGreaterThan(6);
    }
    const x = (id: number): number => frames.get(id)!.contacts[0]!;
    expect(x(2) - x(1)).toBeGreaterThan(0.1);
    world.remove(1);
    expect(run(0.5).get(2)!.contacts.length).toBeGreaterThan(6);
  });

  it('shows vibrations and goes on touching', () => {
    world.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 0.01, rate: 1 } });
    expect(run(0.2).get(1)!.contacts).toEqual([]);
    world.handle({ kind: 'drop', body: 1 });
    const frames = run(2);
    expect(frames.get(1)!.playingMode).toBe(false);
    expect(Math.abs(risen(frames))).toBeLessThan(0.01);
  });
});

/** Beams of 0.4 m along x, 0.1 m high, one of which is held where it was made, at x < 0.01. */
describe.skipIf(needsLimber)(`bodies of one scene${needsLimber}`, () => {
  it('stop each other', async () => {
    world.load(await load(readModel('free')), 'free.glb', true);
    const { place } = world.copy(1, 'free.glb') as Extract<Message, { kind: 'loaded' }>;
    // Both slide along x; a ball stops the second one, and that the first.
    set({ timeStep: 0.004, speed: 1, gravity: [9.81, 0, -9.81], obstacle: true });
    set({ damping: { mass: 1, stiffness: 1e-3 } }, 1);
    set({ damping: { mass: 1, stiffness: 1e-3 } }, 2);
    const frames = run(3);
    const [first, second] = [1, 2].map((id) => frames.get(id)!.shift!) as [Vector3, Vector3];
    const gap = place[0] - 0.4;
    expect(second[0]).toBeGreaterThan(0);
    expect(first[0] - second[0]).toBeGreaterThan(0.5 * gap);
    expect(first[0] - second[0]).toBeLessThan(gap + 0.04);
    for (const [, { contacts }] of frames) expect(contacts.length).toBeGreaterThan(0);
  });

  it('keep the speed that a hand gave them', async () => {
    world.load(await load(readModel('free')), 'free.glb', true);
    set({ timeStep: 0.002, speed: 1, ground: false, damping: { mass: 0, stiffness: 1e-3 } });
    world.handle({ kind: 'grab', id: 1, origin: [0.2, 0.04, 1], direction: [0, 0, -1], strength: 30 });
    for (let i = 1; i <= 5; ++i) {
      world.handle({ kind: 'drag', id: 1, target: [0.2 + 0.05 * i, 0.04, 0.1] });
      run(0.02);
    }
    world.handle({ kind: 'release', id: 1 });
    const [a, b, c] = [0.02, 0.3, 0.3].map((seconds) => run(seconds).get(1)!.shift!) as [
      Vector3,
      Vector3,
      Vector3,
    ];
    const flown = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    expect(flown).toBeGreaterThan(0.1);
    expect(Math.hypot(c[0] - b[0], c[1] - b[1], c[2] - b[2])).toBeCloseTo(flown, 1);
  });

  it('are pushed by a ball in the hand, which feels them', async () => {
    world.load(await load(readModel('exact')), 'held.glb', true);
    set({ timeStep: 0.002, speed: 1, tool: true });
    let tool: ToolState | null = null;
    const play = (seconds: number): ToolState => {
      for (const end = now + seconds; now < end; now += 0.01) {
        for (const message of world.tick(now).messages) {
          if (message.kind === 'tool') tool = message.tool;
          expect(message.kind).not.toBe('restarted');
        }
      }
      return tool!;
    };
    const { position, radius, force } = play(0.3);
    expect(Math.hypot(...force)).toBeLessThan(1e-6);
    expect(position[2]).toBeGreaterThan(0.1 + radius); // above the body
    world.handle({ kind: 'tool', target: [0.35, 0.04, 0.1 + 1.5 * radius] });
    expect(play(1).position[0]).toBeCloseTo(0.35, 3);
    world.handle({ kind: 'tool', target: [0.35, 0.04, 0.05] }); // inside of it
    const pressed = play(2);
    expect(pressed.force[2]).toBeGreaterThan(0);
    expect(pressed.position[2]).toBeGreaterThan(0.05);
    set({ tool: false });
    expect(play(0.1)).toBeNull();
    expect(() => world.handle({ kind: 'tool', target: [NaN, 0, 0] })).toThrow('The place of the tool');
  });

  it('keep the ball in the hand where it is while none of them can touch', async () => {
    world.load(await load(readModel('exact')), 'held.glb', true);
    set({ timeStep: 0.002, speed: 1, tool: true });
    const place = (seconds: number): Vector3 => {
      let found: Vector3 = [NaN, NaN, NaN];
      for (const end = now + seconds; now < end; now += 0.01) {
        for (const message of world.tick(now).messages) {
          if (message.kind === 'tool') found = message.tool!.position;
        }
      }
      return found;
    };
    const target: Vector3 = [0.3, 0.04, 0.3];
    world.handle({ kind: 'tool', target });
    expect(place(1)[0]).toBeCloseTo(0.3, 3);
    world.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 0.01, rate: 1 } });
    run(0.1);
    expect(world.contact.current).toBeNull();
    world.handle({ kind: 'mode', body: 1, playback: null });
    world.handle({ kind: 'tool', target: [0.3, 0.04, 0.31] });
    expect(place(0.03)[0]).toBeCloseTo(0.3, 3);
  });

  it('touch again when a tree has its full inertia again', async () => {
    world.load(await load(readModel('free')), 'free.glb', true);
    expect(world.contact.current).not.toBeNull();
    set({ timeStep: 0.004, speed: 1, gravity: [0, 0, -9.81] });
    set({ inertia: 'interface' });
    expect(world.contact.current).toBeNull();
    run(0.1);
    world.copy(1, 'free.glb');
    expect(world.count).toBe(2);
    set({ inertia: 'full' });
    run(0.1);
    set({ tool: true });
    run(0.1);
  });

  it('are as before where another cannot join them', async () => {
    const pristine = await load(readModel('free'));
    world.load(pristine, 'free.glb', true);
    const { settings, surroundings } = world;
    const enter = world.contact.enter.bind(world.contact);
    world.contact.enter = () => {
      throw new Error('no room');
    };
    expect(() => world.copy(1, 'free.glb')).toThrow('no room');
    expect([world.count, world.settings, world.surroundings]).toEqual([1, settings, surroundings]);
    const other = await load(readModel('free'));
    expect(() => world.load(other, 'other.glb', true)).toThrow('no room');
    other.dispose();
    expect(world.count).toBe(1);
    world.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 0.01, rate: 1 } });
    world.contact.enter = enter;
    const setSurroundings = world.contact.setSurroundings.bind(world.contact);
    world.contact.setSurroundings = () => {
      throw new Error('no ground');
    };
    expect(() => set({ tool: true, ground: false })).toThrow('no ground');
    expect(world.settings).toMatchObject({ tool: false, ground: true });
    world.contact.setSurroundings = setSurroundings;
    world.handle({ kind: 'mode', body: 1, playback: null });
    run(0.1);
  });

  it('go on touching after they were shaken, shown vibrations, and moved by warped modes', async () => {
    world.load(await load(readModel('exact')), 'held.glb', true);
    set({ timeStep: 0.002, speed: 1, tool: true });
    const target = [0.35, 0.04, 0.08] as const;
    const felt = (): number => {
      let force = 0;
      for (const end = now + 1; now < end; now += 0.01) {
        for (const message of world.tick(now).messages) {
          if (message.kind === 'tool') force = Math.hypot(...message.tool!.force);
          expect(message.kind).not.toBe('restarted');
        }
      }
      return force;
    };
    world.handle({ kind: 'tool', target });
    const first = felt();
    expect(first).toBeGreaterThan(0);
    set({ method: 'warped' });
    run(0.1);
    set({ method: 'reduced' });
    world.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 0.01, rate: 1 } });
    run(0.1);
    world.handle({ kind: 'mode', body: 1, playback: null });
    set({ shake: { amplitude: [0, 0, 0.01], frequency: 5 } });
    run(0.5);
    set({ shake: null });
    run(2);
    world.handle({ kind: 'reset', body: null });
    world.handle({ kind: 'tool', target });
    expect(felt()).toBeGreaterThan(0.5 * first);
  });
});
