import { beforeEach, describe, expect, it } from 'vitest';
import type { Quaternion, Vector3 } from '../../runtime/src/types';
import type { Command, Frame, Hold, Message, Settings } from '../src/protocol';
import { Simulation } from '../src/simulation';
import { FakeBody } from './fake_body';

/** A body with room for as many handles as a test needs; its second vertex is picked at x from 0.25 to 1.5. */
class RoomyBody extends FakeBody {
  override used = 12;
  override q = new Float64Array(12);
  override v = new Float64Array(12);

  constructor() {
    super();
    Object.assign(this.info, { rank: 12, vertexCount: 4 });
  }

  override reach() {
    return new Float64Array(12);
  }

  override surface() {
    const surface = super.surface();
    return { ...surface, basis: new Float32Array(6 * 12), rotations: new Float32Array(6 * 12) };
  }

  /** Vertices 1, 2 and 3 are at x = 1, 2 and 3. */
  override pick([x]: Vector3) {
    return { vertex: Math.round(x), distance: 1, hit: x <= 3.5 };
  }
}

let body: RoomyBody;
let now: number;
let simulation: Simulation;

beforeEach(() => {
  body = new RoomyBody();
  body.speed = 0;
  now = 0;
  simulation = new Simulation(() => now);
  simulation.load(body, 'bar.glb', true);
  set({ method: 'warped' });
});

function set(settings: Partial<Settings>): Message[] {
  return simulation.handle({ kind: 'settings', body: 1, settings });
}

function pin(x: number, id = 10 * x): Message[] {
  return simulation.handle({ kind: 'handle-add', id, origin: [x, 0, 1], direction: [0, 0, -1] });
}

function grab(x: number, id = 5): Message[] {
  return simulation.handle({ kind: 'grab', id, origin: [x, 0, 1], direction: [0, 0, -1], strength: 1 });
}

function move(id: number, to: { position?: Vector3; rotation?: Quaternion }): Message[] {
  return simulation.handle({ kind: 'handle-move', id, ...to });
}

function hold(id: number, what: Hold): Message[] {
  return simulation.handle({ kind: 'handle-change', id, hold: what });
}

/** Lets the wall clock run, with a tick every 1/100 s, and returns the last frame. */
function run(seconds: number): Frame {
  let frame: Frame | undefined;
  const start = now;
  for (let i = 0; i <= Math.round(seconds * 100); ++i) {
    now = Math.max(now, start + i / 100);
    for (const message of simulation.tick(now).messages) if (message.kind === 'frame') ({ frame } = message);
  }
  if (!frame) throw new Error('there is no frame');
  return frame;
}

const aboutZ = (angle: number): Quaternion => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];

describe('a hand at warped modes', () => {
  it('holds the position of a vertex until it lets go', () => {
    expect(grab(1)).toEqual([{ kind: 'grabbed', id: 5, body: 1, vertex: 1, point: [1, 0, 0] }]);
    expect(body.handles).toEqual([{ vertex: 1, position: [1, 0, 0] }]);
    simulation.handle({ kind: 'release', id: 5 });
    expect(body.handles).toEqual([]);
  });

  it('moves it to the pointer', () => {
    grab(1);
    simulation.handle({ kind: 'drag', id: 5, target: [1.5, 0.5, 0] });
    const frame = run(1);
    expect(body.handles[0]?.position).toEqual([1.5, 0.5, 0]);
    expect(frame.handles).toMatchObject([{ id: 5, pinned: false, target: [1.5, 0.5, 0] }]);
    expect(frame.pulls).toEqual([]);
  });

  it('misses a vertex that cannot move', () => {
    expect(grab(0)).toEqual([{ kind: 'missed', id: 5, body: 1 }]);
  });

  it('has no strength', () => {
    grab(1);
    expect(simulation.handle({ kind: 'strength', strength: 5 })).toEqual([]);
  });
});

describe('targets', () => {
  it('come to where they are wanted in many small steps', () => {
    set({ timeStep: 0.002 });
    pin(1);
    run(0.01);
    const seen: number[] = [];
    body.onStep = () => seen.push(body.handles[0]!.position![0]);
    move(10, { position: [2, 0, 0] });
    run(0.5);
    const jumps = seen.map((x, i) => x - (seen[i - 1] ?? 1));
    expect(Math.max(...jumps)).toBeLessThan(0.1);
    expect(Math.min(...jumps)).toBeGreaterThanOrEqual(0);
    expect(seen.at(-1)).toBe(2);
  });

  it('turn by and by too, as unit quaternions', () => {
    pin(1);
    run(0.01);
    move(10, { rotation: aboutZ(2) });
    run(0.03);
    const rotation = body.handles[0]!.rotation!;
    expect(Math.hypot(...rotation)).toBeCloseTo(1, 12);
    expect(rotation[2]).toBeGreaterThan(0);
    expect(rotation[2]).toBeLessThan(Math.sin(1));
    run(1);
    expect(body.handles[0]!.rotation).toEqual(aboutZ(2));
  });

  it('twisted by more than half a turn while paused go the same way round', () => {
    pin(1);
    set({ paused: true });
    for (const angle of [1, 2, 3, 4]) move(10, { rotation: aboutZ(angle) });
    set({ paused: false });
    run(0.03);
    const [, , z, w] = body.handles[0]!.rotation!;
    const angle = 2 * Math.atan2(z, w);
    expect(angle).toBeGreaterThan(0.5);
    expect(angle).toBeLessThan(4);
  });

  it('that are there do not ask for single steps', () => {
    set({ timeStep: 0.001 });
    body.onStep = ({ count }) => {
      now += 1e-6 * count;
    };
    pin(1);
    run(0.2);
    expect(Math.max(...body.steps.map(({ count }) => count))).toBeGreaterThan(1);
  });

  it('are shown where they are wanted at once', () => {
    set({ paused: true });
    pin(1);
    move(10, { position: [2, 0, 0] });
    expect(run(0.05).handles[0]).toMatchObject({ point: [1, 0, 0], target: [2, 0, 0], positionError: 0 });
  });

  it.each([
    { position: [NaN, 0, 0] as Vector3 },
    { rotation: [0, 0, 0, 0] as Quaternion },
    { rotation: [0, 0, 0, 2] as Quaternion },
  ])('that make no sense are refused: %j', (to) => {
    pin(1);
    expect(() => move(10, to)).toThrow(/handle: expected/);
  });
});

describe('pinned handles', () => {
  it('hold position and orientation as they are', () => {
    expect(pin(1)).toEqual([{ kind: 'grabbed', id: 10, body: 1, vertex: 1, point: [1, 0, 0] }]);
    expect(body.handles).toEqual([{ vertex: 1, position: [1, 0, 0], rotation: [0, 0, 0, 1] }]);
    expect(body.priority).toBe('position');
  });

  it('hold what they are told to', () => {
    pin(1);
    hold(10, 'orientation');
    expect(body.handles).toEqual([{ vertex: 1, rotation: [0, 0, 0, 1] }]);
    hold(10, 'position');
    expect(body.handles).toEqual([{ vertex: 1, position: [1, 0, 0] }]);
  });

  it('take what they newly hold as it is now', () => {
    pin(1);
    hold(10, 'orientation');
    body.q[0] = 0.5;
    hold(10, 'both');
    expect(body.handles).toMatchObject([{ position: [1.5, 0, 0] }]);
  });

  it('stay when hands let go, and go when they are removed', () => {
    pin(1);
    pin(2);
    simulation.handle({ kind: 'release', id: 10 });
    expect(body.handles).toHaveLength(2);
    simulation.handle({ kind: 'handle-remove', body: 1, id: 10 });
    expect(body.handles).toMatchObject([{ vertex: 2 }]);
    simulation.handle({ kind: 'handle-remove', body: 1, id: null });
    expect(body.handles).toEqual([]);
  });

  it('have a priority', () => {
    pin(1);
    simulation.handle({ kind: 'handle-priority', body: 1, priority: 'orientation' });
    expect(body.priority).toBe('orientation');
  });

  it('come with how well they are met', () => {
    set({ paused: true });
    pin(1);
    body.q[0] = 0.25;
    body.handleReport = { met: false, positionError: 0.25, orientationError: 0 };
    const frame = run(0.05);
    expect(frame.handles).toMatchObject([{ point: [1.25, 0, 0], target: [1, 0, 0], positionError: 0.25 }]);
    expect(frame.handleReport).toEqual(body.handleReport);
  });

  it('go back to rest with the body', () => {
    pin(1);
    move(10, { position: [2, 0, 0], rotation: aboutZ(1) });
    run(1);
    simulation.handle({ kind: 'reset', body: null });
    expect(body.handles).toEqual([{ vertex: 1, position: [1, 0, 0], rotation: [0, 0, 0, 1] }]);
  });

  it('are let go with the method', () => {
    pin(1);
    set({ method: 'reduced' });
    const frame = run(0.05);
    expect(frame).toMatchObject({ handles: [], handleReport: null, warped: false });
  });
});

describe('a body that flies', () => {
  beforeEach(() => {
    Object.assign(body.info, { free: true });
  });

  it('is held by hands', () => {
    grab(1);
    simulation.handle({ kind: 'drag', id: 5, target: [2, 0.5, 0] });
    run(1);
    expect(body.position(1)).toEqual([2, 0.5, 0]);
  });

  it('is pinned by positions alone; others are refused, and all is as before', () => {
    pin(1);
    expect(body.handles).toEqual([{ vertex: 1, position: [1, 0, 0] }]);
    for (const what of ['both', 'orientation'] as const) {
      expect(() => hold(10, what)).toThrow('keep positions, not orientations');
    }
    expect(() => simulation.handle({ kind: 'handle-priority', body: 1, priority: 'orientation' })).toThrow(
      'keep positions, not orientations',
    );
    pin(2);
    expect(body.handles).toHaveLength(2);
    expect(body.priority).toBe('position');
  });

  it('has room for the motion of the whole, too', () => {
    set({ rank: 1 });
    for (const x of [1, 2]) pin(x);
    expect(() => pin(3)).toThrow(/hold 6 of the body's 7 degrees of freedom/);
  });
});

describe('what cannot be held', () => {
  it('is a vertex that cannot move', () => {
    expect(pin(0)).toEqual([{ kind: 'missed', id: 0, body: 1 }]);
  });

  it('is a vertex that has a handle', () => {
    pin(1);
    expect(() => pin(1, 99)).toThrow('There is a handle at this vertex already.');
  });

  it('is more than the rank allows', () => {
    pin(1);
    pin(2);
    expect(() => pin(3)).toThrow(/hold 12 of the body's 12 degrees of freedom/);
    expect(body.handles).toHaveLength(2);
  });

  it('is an orientation for which there is no room, but the position may be', () => {
    set({ rank: 11 });
    pin(1);
    pin(2);
    expect(body.handles[1]).toEqual({ vertex: 2, position: [1, 0, 0] });
    expect(() => hold(20, 'both')).toThrow(/no room/);
    expect(body.handles[1]).not.toHaveProperty('rotation');
  });

  it('is what a smaller rank leaves no room for: the newest handles are let go', () => {
    pin(1);
    pin(2);
    const messages = set({ rank: 6 });
    expect(body.handles).toMatchObject([{ vertex: 1 }]);
    expect(messages.at(-1)).toMatchObject({
      kind: 'failed',
      message: 'There is no room for all handles at this rank: 1 was let go.',
    });
  });

  it('is anything while a mode plays', () => {
    simulation.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 0.1, rate: 1 } });
    expect(pin(1)).toEqual([{ kind: 'missed', id: 10, body: 1 }]);
  });

  it('is anything by handles of another method', () => {
    set({ method: 'reduced' });
    expect(() => pin(1)).toThrow('Handles need warped modes');
  });
});

describe('the method', () => {
  it('is told with each frame, also while a mode plays', () => {
    expect(run(0.05).warped).toBe(true);
    simulation.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 0.1, rate: 1 } });
    expect(run(0.05)).toMatchObject({ warped: true, playingMode: true });
    set({ method: 'reduced' });
    expect(run(0.05)).toMatchObject({ warped: false, playingMode: true });
  });

  it('that the body refuses leaves handles where they are', () => {
    pin(1);
    body.setMethod = () => {
      throw new Error('out of memory');
    };
    expect(() => set({ method: 'linear' })).toThrow('out of memory');
    expect(run(0.05).handles).toHaveLength(1);
  });

  it('lets springs go', () => {
    set({ method: 'reduced' });
    grab(1);
    set({ method: 'warped' });
    expect(run(0.05).pulls).toEqual([]);
  });

  it('starts from rest when it gets its own forces back, and goes on else', () => {
    body.q[0] = 0.5;
    const resets = body.resets;
    set({ method: 'linear' });
    set({ method: 'warped' });
    expect(body.resets).toBe(resets);
    set({ method: 'reduced' });
    expect([body.resets, body.q[0]]).toEqual([resets + 1, 0]);
  });

  it('stays where a model has no rotations', () => {
    const plain = new FakeBody();
    Object.assign(plain.info, { warpable: false });
    const other = new Simulation(() => now);
    other.load(plain, 'plain.glb', true);
    const command: Command = { kind: 'settings', body: 1, settings: { method: 'warped' } };
    expect(other.handle(command)).toMatchObject([
      { kind: 'failed', inForce: { settings: { method: 'reduced' } } },
    ]);
    expect(plain.method).toBe('reduced');
  });
});
