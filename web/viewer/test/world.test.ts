import { beforeEach, describe, expect, it } from 'vitest';
import type { Command, Frame, Message, Settings } from '../src/protocol';
import { Simulation } from '../src/simulation';
import { FakeBody } from './fake_body';
import { FakeTree } from './fake_tree';

let now: number;
let world: Simulation;
let bar: FakeBody;
let tree: FakeTree;
/** m by which the tree, body 2, stands beside the bar, body 1. */
let apart: number;

beforeEach(() => {
  now = 0;
  world = new Simulation(() => now);
  [bar, tree] = [new FakeBody(), new FakeTree()];
  world.load(bar, 'bar.glb', false);
  const loaded = world.load(tree, 'oak.glb', false);
  apart = loaded.kind === 'loaded' ? loaded.place[0] : NaN;
  set({ timeStep: 0.01, speed: 1 });
});

function set(settings: Partial<Settings>, body = 1): Message[] {
  return world.handle({ kind: 'settings', body, settings });
}

function inForce(body: number, settings: Partial<Settings>): Partial<Settings> {
  return world.inForce({ kind: 'settings', body, settings } as Command).settings!;
}

/** Lets the wall clock run; the last frame of each body. */
function run(seconds: number): Map<number, Frame> {
  const frames = new Map<number, Frame>();
  for (const end = now + seconds; now < end; now += 0.01) {
    for (const message of world.tick(now).messages)
      if (message.kind === 'frame') frames.set(message.body, message.frame);
  }
  return frames;
}

function grab(x: number, id: number): Message {
  return world.handle({ kind: 'grab', id, origin: [x, 0, 1], direction: [0, 0, -1], strength: 2 })[0]!;
}

/** Lets some of what a body can do throw, until it is put to rest. */
function spoil(body: FakeBody, names: readonly (keyof FakeBody)[]): void {
  const throws = (): never => {
    throw new Error('it is too far from rest');
  };
  const reset = body.reset.bind(body);
  body.reset = () => {
    for (const name of names) Reflect.deleteProperty(body, name);
    reset();
  };
  for (const name of names) {
    const how = name === 'state' ? { get: throws } : { value: throws };
    Object.defineProperty(body, name, { ...how, configurable: true });
  }
}

const stepsOf = (body: FakeBody): number => body.steps.reduce((sum, { count }) => sum + count, 0);

describe('bodies in one world', () => {
  it('take the same steps, and have the same time', () => {
    const frames = run(0.5);
    expect(stepsOf(bar)).toBe(stepsOf(tree));
    expect(stepsOf(bar)).toBeGreaterThan(40);
    expect(frames.get(1)!.time).toBe(frames.get(2)!.time);
  });

  it('share the time that a tick may take', () => {
    for (const body of [bar, tree]) body.onStep = ({ count }) => void (now += 0.005 * count);
    set({ timeStep: 0.001 });
    world.tick(now);
    now += 0.05;
    const start = now;
    world.tick(now);
    expect(now - start).toBeLessThanOrEqual(0.03); // 12 ms and the last batch, of both
    expect(stepsOf(bar)).toBe(stepsOf(tree));
    for (let i = 0; i < 50; ++i) world.tick((now += 0.004));
    const rate = [...run(0.3).values()][0]!.stepRate;
    expect(rate).toBeCloseTo(100, 0); // 10 ms for a step of both
  });

  it('stand side by side, and are seen and pulled where they stand', () => {
    expect(apart).toBeGreaterThan(1);
    expect(grab(1, 7)).toEqual({ kind: 'grabbed', id: 7, body: 1, vertex: 1, point: [1, 0, 0] });
    tree.pick = ([x]) => ({ vertex: 1, distance: 0.5, hit: x >= 0.5 && x <= 1.5 }); // in front of the bar
    const met = grab(1 + apart, 8);
    expect(met).toEqual({ kind: 'grabbed', id: 8, body: 2, vertex: 1, point: [1 + apart, 0, 0] });
    world.handle({ kind: 'drag', id: 8, target: [1.25 + apart, 0.5, 0] });
    expect(tree.springs[0]!.target).toEqual([expect.closeTo(1.25, 12), 0.5, 0]);
    expect(bar.springs[0]!.target).toEqual([1, 0, 0]);
    set({ paused: true });
    const frame = run(0.1).get(2)!;
    expect(frame.pulls[0]).toMatchObject({ id: 8, target: [expect.closeTo(1.25 + apart, 12), 0.5, 0] });
    expect(frame.pose).toEqual([Math.fround(apart), 0, 0, 0, 0, 0, 1]);
    world.handle({ kind: 'release', id: 8 });
    expect([tree.springs.length, bar.springs.length]).toEqual([0, 1]);
  });

  it('are met by a ray in the order of their distance', () => {
    tree.pick = () => ({ vertex: 1, distance: 0.5, hit: true });
    expect(grab(1, 1)).toMatchObject({ body: 2 });
    tree.pick = () => ({ vertex: 1, distance: 2, hit: true });
    expect(grab(1, 2)).toMatchObject({ body: 1 });
  });

  it('have settings of their own, but for those of the world', () => {
    set({ rank: 1, accuracy: 'exact', timeStep: 0.02, gravity: [0, 0, -5] });
    const asked = { rank: 2, accuracy: 'fast', timeStep: 1, gravity: [0, 0, 0] } as const;
    expect(inForce(1, asked)).toEqual({ rank: 1, accuracy: 'exact', timeStep: 0.02, gravity: [0, 0, -5] });
    expect(inForce(2, asked)).toEqual({ rank: 2, accuracy: 'fast', timeStep: 0.02, gravity: [0, 0, -5] });
    expect([bar.gravity, tree.gravity]).toEqual([
      [0, 0, -5],
      [0, 0, -5],
    ]);
  });

  it('are put to rest all together, or one alone', () => {
    run(0.2);
    world.handle({ kind: 'reset', body: 2 });
    expect([bar.resets, tree.resets]).toEqual([0, 1]);
    world.handle({ kind: 'reset', body: null });
    expect([bar.resets, tree.resets]).toEqual([1, 2]);
  });

  it('go on where the steps of one fail', () => {
    tree.onStep = () => {
      throw new Error('no convergence');
    };
    const [message] = world.handle({ kind: 'step' });
    expect(message).toMatchObject({ kind: 'restarted', body: 2, paused: false });
    expect([stepsOf(bar), bar.resets, tree.resets]).toEqual([1, 0, 1]);
  });

  it.each([
    ['a step cannot be taken back', ['step', 'restore']],
    ['its support cannot be moved', ['setSupport']],
    ['it cannot say where it is', ['state']],
    ['it cannot be shown', ['positions']],
  ] as const)('go on where one fails because %s, which alone goes back to rest', (_, names) => {
    set({ shake: { amplitude: [0, 0, 1], frequency: 10 } }, 2);
    spoil(tree, names);
    const messages: Message[] = [];
    for (let i = 0; i < 300; ++i) messages.push(...world.tick((now += 0.01)).messages);
    const reason = 'The motion failed (it is too far from rest)';
    expect(messages.filter(({ kind }) => kind === 'restarted')).toEqual([
      { kind: 'restarted', body: 2, reason, paused: false },
    ]);
    expect([bar.resets, tree.resets]).toEqual([0, 1]);
    expect(stepsOf(bar)).toBeGreaterThan(280);
  });

  it('are all lost where one cannot even be put to rest', () => {
    spoil(tree, ['step', 'restore', 'reset']);
    expect(() => world.handle({ kind: 'step' })).toThrow('too far from rest');
  });

  it('stay together where one has to take a step in parts', () => {
    set({ paused: true, timeStep: 0.016 });
    tree.onStep = ({ h, count }) => {
      if (h === 0.016 && count > 1) throw new Error('no convergence');
    };
    set({ paused: false });
    run(0.3);
    set({ paused: true });
    run(0.1);
    expect(tree.time).toBeCloseTo(bar.time, 9);
  });

  it('hide those behind them while they show a vibration', () => {
    tree.pick = () => ({ vertex: 1, distance: 2, hit: true });
    world.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 1, rate: 1 } });
    expect(grab(1, 1)).toEqual({ kind: 'missed', id: 1, body: 1 });
    expect(tree.springs).toEqual([]);
  });

  it('step on while one shows a vibration', () => {
    world.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 1, rate: 1 } });
    const frames = run(0.3);
    expect(frames.get(1)!.playingMode).toBe(true);
    expect(stepsOf(bar)).toBe(0);
    expect(stepsOf(tree)).toBeGreaterThan(20);
  });

  it('come and go', () => {
    const copy = world.copy(1, 'bar.glb');
    expect(copy).toMatchObject({ kind: 'loaded', body: 3 });
    world.remove(1);
    expect(run(0.1).size).toBe(2);
    expect(bar.copies).toBe(2);
    world.clear();
    expect([world.empty, bar.disposed, tree.disposed]).toEqual([true, true, true]);
    expect(world.load(new FakeBody(), 'bar.glb', false)).toMatchObject({ body: 4, place: [0, 0, 0] });
  });
});

describe('a body that joins others', () => {
  it('finds their pause and gravity, and makes the world as slow as it needs', () => {
    set({ paused: true, gravity: [0, 0, -1] });
    const fork = new FakeBody();
    fork.natural = [300, 900];
    world.load(fork, 'fork.glb', false);
    expect(fork.gravity).toEqual([0, 0, -1]);
    expect(world.settings).toMatchObject({ paused: true, gravity: [0, 0, -1], speed: 0.01, timeStep: 5e-5 });
  });

  it('leaves all as it was where it cannot be made', () => {
    const broken = new FakeBody();
    broken.surface = () => {
      throw new Error('out of memory');
    };
    const before = world.settings;
    expect(() => world.load(broken, 'broken.glb', true)).toThrow('out of memory');
    expect(world.settings).toEqual(before);
    expect(world.count).toBe(2);
  });
});
