import { beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Message, Settings } from '../src/protocol';
import { Simulation } from '../src/simulation';
import { FakeBody } from './fake_body';

let body: FakeBody;
/** The wall clock, s. */
let now: number;
let simulation: Simulation;

beforeEach(() => {
  body = new FakeBody();
  now = 0;
  simulation = new Simulation(() => now);
  simulation.load(body, 'bar.glb', true);
});

function set(settings: Partial<Settings>): Message[] {
  return simulation.handle({ kind: 'settings', body: 1, settings });
}

const settings = (): Partial<Settings> =>
  simulation.inForce({ kind: 'settings', body: 1, settings: { shake: null } }).settings!;

/** Lets the wall clock run, with a tick every 1/100 s. */
function run(seconds: number): Message[] {
  const messages: Message[] = [];
  const start = now;
  for (let i = 0; i <= Math.round(seconds * 100); ++i) {
    now = Math.max(now, start + i / 100);
    messages.push(...simulation.tick(now).messages);
  }
  return messages;
}

function lastFrame(messages: Message[]): Frame {
  const frame = messages.flatMap((message) => (message.kind === 'frame' ? [message.frame] : [])).at(-1);
  if (!frame) throw new Error('there is no frame');
  return frame;
}

function grab(x: number, id = 0, strength = 2): Message[] {
  return simulation.handle({ kind: 'grab', id, origin: [x, 0, 1], direction: [0, 0, -1], strength });
}

const stepsTaken = (): number => body.steps.reduce((sum, { count }) => sum + count, 0);

describe('the clock', () => {
  it('takes as many steps as the wall clock and the speed ask for', () => {
    set({ timeStep: 0.001, speed: 0.5 });
    const frame = lastFrame(run(1));
    expect(stepsTaken()).toBe(500);
    expect(frame.steps).toBe(500);
    expect(frame.time).toBeCloseTo(0.5, 9);
  });

  it('keeps the part of a step that is left for later ticks', () => {
    set({ timeStep: 0.03, speed: 1 });
    run(0.3);
    expect(stepsTaken()).toBe(10);
  });

  it('drops time where steps take longer than they are meant to, and says so', () => {
    set({ timeStep: 0.001, speed: 1 });
    body.onStep = ({ count }) => {
      now += 0.004 * count; // four times too slow
    };
    let frame: Frame | undefined;
    for (let i = 0; i < 200; ++i) {
      now += 0.001;
      const before = now;
      const { messages, wakeup } = simulation.tick(now);
      expect(now - before).toBeLessThan(0.02);
      if (i > 1) expect(wakeup).toBe('now');
      frame = messages.find((message) => message.kind === 'frame')?.frame ?? frame;
    }
    expect(frame?.reachedSpeed).toBeGreaterThan(0.15);
    expect(frame?.reachedSpeed).toBeLessThan(0.26);
    expect(frame?.stepRate).toBeCloseTo(250, 0);
  });

  it('takes one step per tick where a single one is beyond the budget', () => {
    set({ timeStep: 0.001, speed: 1 });
    simulation.tick(now);
    body.onStep = () => {
      now += 0.5;
    };
    for (let i = 0; i < 3; ++i) simulation.tick((now += 0.004));
    expect(stepsTaken()).toBe(3);
  });

  it('does not catch up with a long sleep', () => {
    set({ timeStep: 0.001, speed: 1 });
    simulation.tick(0);
    simulation.tick(3600);
    expect(stepsTaken()).toBe(100);
  });

  it('says that it reaches the speed asked for', () => {
    set({ speed: 0.2 });
    expect(lastFrame(run(1)).reachedSpeed).toBeCloseTo(0.2, 2);
  });
});

describe('pause, steps and reset', () => {
  it('stands still and is idle while paused', () => {
    set({ paused: true });
    run(0.1);
    expect(simulation.tick((now += 1))).toEqual({ messages: [], wakeup: 'idle' });
    expect(stepsTaken()).toBe(0);
  });

  it('does not make up for the time of a pause', () => {
    set({ paused: true, timeStep: 0.001 });
    run(0.1);
    now += 60;
    set({ paused: false });
    simulation.tick(now);
    expect(stepsTaken()).toBe(0);
  });

  it('takes single steps while paused and shows each', () => {
    set({ paused: true, timeStep: 0.01 });
    run(0.1);
    simulation.handle({ kind: 'step' });
    const frame = lastFrame(run(0.02));
    expect(frame.steps).toBe(1);
    expect(frame.time).toBeCloseTo(0.01, 12);
    expect(frame.reachedSpeed).toBe(0);
  });

  it('lets go on reset: a spring that held on would fling the body from where it was made', () => {
    grab(1);
    simulation.handle({ kind: 'drag', id: 0, target: [40, 0, 0] });
    expect(lastFrame(run(0.02)).pulls).toHaveLength(1);
    simulation.handle({ kind: 'reset', body: 1 });
    simulation.handle({ kind: 'drag', id: 0, target: [50, 0, 0] });
    expect(lastFrame(run(0.02)).pulls).toEqual([]);
  });

  it('goes back to rest and to time 0 on reset', () => {
    set({ paused: true });
    body.q[0] = 1;
    simulation.handle({ kind: 'step' });
    simulation.handle({ kind: 'reset', body: null });
    const frame = lastFrame(run(0.02));
    expect([...frame.q]).toEqual([0, 0]);
    expect(frame.time).toBe(0);
  });
});

describe('frames', () => {
  it('are posted at most 75 times a second', () => {
    let count = 0;
    for (let i = 0; i < 1000; ++i) count += simulation.tick(i / 1000).messages.length;
    expect(count).toBeGreaterThan(60);
    expect(count).toBeLessThanOrEqual(75);
  });

  it('are rare where nothing moves', () => {
    body.speed = 0;
    expect(run(1).length).toBeLessThanOrEqual(12);
  });

  it('own their coordinates, so that they can be transferred', () => {
    const first = lastFrame(run(0.1));
    const q = first.q.slice();
    run(0.1);
    expect(first.q).toEqual(q);
  });
});

describe('a body that flies', () => {
  const flying = { rotation: [0, 0, 0, 1], velocity: [0, 0, 0], angularVelocity: [0, 0, 0] } as const;

  beforeEach(() => {
    body = new FakeBody();
    Object.assign(body.info, { free: true });
    body.speed = 0;
    body.root = { ...flying, position: [0, 0, 0] };
    simulation = new Simulation(() => now);
    simulation.load(body, 'bar.glb', true);
  });

  it('is shown in the pose of its frame, and with it', () => {
    run(0.1);
    body.root = { ...flying, position: [1, 2, 3] };
    now += 0.02;
    expect(lastFrame(simulation.tick(now).messages.slice())).toMatchObject({
      pose: [1, 2, 3, 0, 0, 0, 1],
      shift: [1, 2, 3],
    });
  });

  it('shows its vibrations where it was made', () => {
    body.root = { ...flying, position: [1, 2, 3] };
    simulation.handle({ kind: 'mode', body: 1, playback: { index: 0, amplitude: 1, rate: 1 } });
    expect(lastFrame(run(0.1))).toMatchObject({ pose: [], shift: [0, 0, 0] });
  });
});

describe('failures of steps', () => {
  const fail = (): never => {
    throw new Error('no convergence');
  };

  it('takes one linearised iteration when fast and up to 12 when exact', () => {
    simulation.handle({ kind: 'step' });
    set({ accuracy: 'exact' });
    simulation.handle({ kind: 'step' });
    expect(body.steps.map(({ options }) => options?.iterations)).toEqual([1, 12]);
  });

  it('are tried again exactly and in smaller steps, from where the body was', () => {
    set({ paused: true, timeStep: 0.016 });
    body.q[0] = 0.5;
    body.onStep = ({ h }) => {
      if (h < 0.016) return;
      body.q[0] = 7;
      fail();
    };
    expect(simulation.handle({ kind: 'step' })).toEqual([]);
    expect(body.q[0]).toBeCloseTo(0.516, 12);
    expect(body.steps[1]?.options?.iterations).toBe(12);
    expect(lastFrame(run(0.02)).time).toBeCloseTo(0.016, 12);
  });

  it('end in rest and a sentence where nothing helps', () => {
    set({ paused: true });
    grab(1);
    body.onStep = fail;
    const [message] = simulation.handle({ kind: 'step' });
    const reason = 'A time step could not be solved';
    expect(message).toEqual({ kind: 'restarted', body: 1, reason, paused: false });
    expect(body.resets).toBe(1);
    expect(body.springs).toEqual([]);
  });

  it('pause the body where they come again at once', () => {
    body.onStep = fail;
    const restarts = run(1).filter((message) => message.kind === 'restarted');
    expect(restarts.map(({ paused }) => paused)).toEqual([false, true]);
    expect(simulation.settings.paused).toBe(true);
  });

  it('include coordinates that are not finite', () => {
    body.onStep = () => {
      body.q[1] = NaN;
    };
    expect(simulation.handle({ kind: 'step' })[0]?.kind).toBe('restarted');
  });

  it('include an energy that is not finite', () => {
    body.onStep = () => {
      body.elastic = Infinity;
    };
    expect(simulation.handle({ kind: 'step' })[0]?.kind).toBe('restarted');
  });

  it('include displacements that no load explains', () => {
    body.onStep = () => {
      body.q[1] = 1000;
    };
    expect(simulation.handle({ kind: 'step' })[0]?.kind).toBe('restarted');
  });

  it('do not include displacements as large as the loads', () => {
    grab(1);
    simulation.handle({ kind: 'drag', id: 0, target: [1001, 0, 0] });
    body.onStep = () => {
      body.q[1] = 1000;
    };
    expect(simulation.handle({ kind: 'step' })).toEqual([]);
  });
});

describe('pulls', () => {
  it('hold the vertex that the ray meets by a spring of its own stiffness times the strength', () => {
    expect(grab(1)).toEqual([{ kind: 'grabbed', id: 0, body: 1, vertex: 1, point: [1, 0, 0] }]);
    expect(body.springs).toEqual([{ vertex: 1, target: [1, 0, 0], stiffness: 200 }]);
  });

  it('miss where the ray passes the body', () => {
    expect(grab(9, 4)).toEqual([{ kind: 'missed', id: 4, body: null }]);
    expect(body.springs).toEqual([]);
  });

  it('miss a vertex that cannot move', () => {
    expect(grab(0)).toEqual([{ kind: 'missed', id: 0, body: 1 }]);
  });

  it.each([0, NaN])('miss a vertex with a stiffness of %d: it moves only rigidly', (stiffness) => {
    body.resistance = stiffness;
    expect(grab(1)).toEqual([{ kind: 'missed', id: 0, body: 1 }]);
    expect(body.springs).toEqual([]);
  });

  it('follow a drag, and frames show their force', () => {
    set({ paused: true });
    grab(1);
    simulation.handle({ kind: 'drag', id: 0, target: [1, 0.5, 0] });
    expect(lastFrame(run(0.02)).pulls).toEqual([
      { id: 0, vertex: 1, point: [1, 0, 0], target: [1, 0.5, 0], force: [0, 100, 0] },
    ]);
  });

  it('are told apart by their ids', () => {
    grab(1, 1);
    grab(1, 2);
    simulation.handle({ kind: 'drag', id: 2, target: [2, 0, 0] });
    simulation.handle({ kind: 'release', id: 1 });
    expect(body.springs).toEqual([{ vertex: 1, target: [2, 0, 0], stiffness: 200 }]);
  });

  it('at work take a new strength', () => {
    grab(1);
    simulation.handle({ kind: 'strength', strength: 5 });
    expect(body.springs[0]?.stiffness).toBe(500);
  });

  it('at work follow a change of material', () => {
    grab(1);
    simulation.handle({ kind: 'material', body: 1, region: 0, young: 2e5 });
    expect(body.springs[0]?.stiffness).toBe(400);
  });

  it('that have ended ignore drags', () => {
    expect(simulation.handle({ kind: 'drag', id: 7, target: [0, 0, 0] })).toEqual([]);
  });

  it('refuse targets that are not finite', () => {
    grab(1);
    expect(() => simulation.handle({ kind: 'drag', id: 0, target: [NaN, 0, 0] })).toThrow(/target/);
    expect(body.springs[0]?.target).toEqual([1, 0, 0]);
  });
});

describe('modes', () => {
  const play = (playback: { index: number; amplitude: number; rate: number } | null): Message[] =>
    simulation.handle({ kind: 'mode', body: 1, playback });

  it('swing with their rate and amplitude by the wall clock while the simulation stands still', () => {
    simulation.tick(now);
    play({ index: 1, amplitude: 0.1, rate: 0.5 });
    const frame = lastFrame(run(0.5)); // a quarter of a period
    expect(frame.playingMode).toBe(true);
    expect(frame.q[0]).toBe(0);
    expect(frame.q[1]).toBeCloseTo(0.1, 6);
    expect(stepsTaken()).toBe(0);
  });

  it('leave the body at rest', () => {
    run(0.1);
    play({ index: 0, amplitude: 0.1, rate: 1 });
    run(0.1);
    play(null);
    expect([...body.q]).toEqual([0, 0]);
    expect(lastFrame(run(0.02)).playingMode).toBe(false);
  });

  it('keep their phase when the amplitude changes', () => {
    simulation.tick(now);
    play({ index: 0, amplitude: 0.1, rate: 0.5 });
    run(0.49);
    play({ index: 0, amplitude: 0.2, rate: 0.5 });
    expect(lastFrame(run(0.01)).q[0]).toBeCloseTo(0.2, 6);
  });

  it('end where the rank leaves them out', () => {
    play({ index: 1, amplitude: 0.1, rate: 1 });
    set({ rank: 1 });
    expect(lastFrame(run(0.02))).toMatchObject({ playingMode: false });
  });

  it('that do not exist are refused', () => {
    expect(() => play({ index: 2, amplitude: 0.1, rate: 1 })).toThrow('Mode: expected 0 to 1, found 2.');
  });

  it('are met by rays, where the body rests, but cannot be grabbed', () => {
    body.q[0] = 7;
    play({ index: 0, amplitude: 0.1, rate: 1 });
    expect([...body.q]).toEqual([0, 0]);
    expect(grab(1)).toEqual([{ kind: 'missed', id: 0, body: 1 }]);
    expect(body.springs).toEqual([]);
    expect(grab(9)).toEqual([{ kind: 'missed', id: 0, body: null }]);
  });

  it('that do not exist leave the body as it is', () => {
    body.q[0] = 7;
    expect(() => play({ index: 2, amplitude: 0.1, rate: 1 })).toThrow('Mode');
    expect(body.q[0]).toBe(7);
  });
});

describe('shaking', () => {
  const shake = { amplitude: [0, 0.5, 0], frequency: 2 } as const;

  /** Pauses first, so that the frame is of the time of the body. */
  const poseNow = (): readonly number[] => {
    set({ paused: true });
    const { pose } = lastFrame(run(0.05));
    set({ paused: false });
    return pose;
  };

  beforeEach(() => {
    set({ timeStep: 0.01, speed: 1 });
  });

  it('moves what holds the body, from where it is on', () => {
    run(0.5);
    set({ shake });
    expect(body.support![0]).toEqual({ time: body.time, position: [0, 0, 0] });
    expect(settings().shake).toEqual(shake);
    run(1.125 - 0.02); // two periods and a quarter
    const pose = poseNow();
    expect(pose[1]).toBeGreaterThan(0.45);
    expect(pose.filter((_, i) => i !== 1)).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('goes on, with keys for the steps to come', () => {
    set({ shake });
    for (let i = 0; i < 40; ++i) {
      run(0.5);
      expect(body.support!.at(-1)!.time).toBeGreaterThan(body.time + 0.04);
    }
    expect(stepsTaken()).toBeGreaterThan(1900);
  });

  it('ends at rest where it began, and leaves nothing', () => {
    set({ shake });
    run(1.1);
    set({ shake: null });
    run(0.3);
    expect(poseNow()).toEqual([0, 0, 0, 0, 0, 0, 1]);
    run(1.5);
    expect(body.support).toBeNull();
    expect(poseNow()).toEqual([]);
  });

  it('stands still while the body is paused', () => {
    set({ shake });
    run(0.7);
    const pose = poseNow();
    set({ paused: true });
    run(1);
    expect(poseNow()).toEqual(pose);
  });

  it('ends with a reset', () => {
    set({ shake });
    run(0.7);
    simulation.handle({ kind: 'reset', body: null });
    expect(body.support).toBeNull();
    expect(settings().shake).toBeNull();
    expect(poseNow()).toEqual([]);
  });

  it('ends where steps fail', () => {
    set({ shake });
    body.onStep = () => {
      throw new Error('no convergence');
    };
    expect(simulation.handle({ kind: 'step' })[0]?.kind).toBe('restarted');
    expect(body.support).toBeNull();
    expect(settings().shake).toBeNull();
  });

  it('ends with another motion, smoothly where that goes on from where the body is', () => {
    set({ method: 'linear', shake });
    expect(settings().shake).toEqual(shake);
    run(0.7);
    set({ method: 'warped' });
    expect(settings().shake).toBeNull();
    expect(body.support!.at(-1)).toEqual({
      time: expect.closeTo(body.time + 0.25, 9) as number,
      position: [0, 0, 0],
    });
    set({ shake, method: 'warped' }); // the same one
    expect(settings().shake).toEqual(shake);
    set({ method: 'reduced' }); // from rest
    expect(body.support).toBeNull();
    expect(settings().shake).toBeNull();
  });

  it('may begin with another motion', () => {
    set({ method: 'warped' });
    set({ method: 'reduced', shake });
    expect(body.support).not.toBeNull();
    expect(settings().shake).toEqual(shake);
  });

  it('ends with a mode, while which it does not begin', () => {
    const mode = (on: boolean): Message[] =>
      simulation.handle({ kind: 'mode', body: 1, playback: on ? { index: 0, amplitude: 1, rate: 1 } : null });
    set({ shake });
    run(0.7);
    mode(true);
    expect(settings().shake).toBeNull();
    expect(lastFrame(run(0.1)).pose).toEqual([]);
    expect(() => set({ shake })).toThrow('A mode is playing');
    expect(simulation.inForce({ kind: 'settings', body: 1, settings: { shake } })).toEqual({
      settings: { shake: null },
    });
    mode(false);
    expect(body.support).toBeNull();
  });

  it('takes other values on the way', () => {
    set({ shake });
    run(1);
    set({ shake: { amplitude: [0.1, 0, 0], frequency: 3 } });
    run(1);
    const [x, y] = poseNow();
    expect(Math.abs(x!)).toBeLessThanOrEqual(0.1);
    expect(y).toBe(0);
  });

  it('is refused for a body that nothing holds', () => {
    Object.assign(body.info, { free: true });
    expect(set({ shake })[0]).toMatchObject({ kind: 'failed', inForce: { settings: { shake: null } } });
    expect(body.support).toBeNull();
  });

  it('explains displacements: far above resonance they are many times the amplitude', () => {
    set({ shake: { amplitude: [0.5, 0, 0], frequency: 20 } });
    body.onStep = () => {
      body.q[1] = 1000;
    };
    expect(simulation.handle({ kind: 'step' })).toEqual([]);
  });
});

describe('settings', () => {
  it('reach the body', () => {
    set({ gravity: [0, 0, -9.81], damping: { mass: 1, stiffness: 0.1 }, method: 'linear' });
    expect(body.gravity).toEqual([0, 0, -9.81]);
    expect(body.damping).toEqual({ mass: 1, stiffness: 0.1 });
    expect(body.method).toBe('linear');
  });

  it('that make no sense are refused, and the others of the change are taken', () => {
    const before = simulation.settings;
    const messages = set({ timeStep: NaN, speed: -1, gravity: [0, 0, -1] });
    expect(messages).toEqual([
      {
        kind: 'failed',
        command: 'settings',
        body: 1,
        message:
          'Time step: expected 0.0000001 to 0.1 s, found NaN. Speed: expected 0.00001 to 10, found -1.',
        inForce: { settings: { timeStep: before.timeStep, speed: before.speed, gravity: [0, 0, -1] } },
      },
    ]);
    expect(simulation.settings).toEqual({ ...before, gravity: [0, 0, -1] });
  });

  it.each([
    { rank: 0 },
    { rank: 3 },
    { rank: 1.5 },
    { timeStep: 0 },
    { speed: Infinity },
    { gravity: [0, NaN, 0] },
    { damping: { mass: -1, stiffness: 0 } },
  ] as Partial<Settings>[])('refuse %j', (change) => {
    expect(set(change)[0]).toMatchObject({ kind: 'failed', command: 'settings' });
  });

  it('tell the new frequencies after a change of rank', () => {
    expect(set({ rank: 1 })).toEqual([{ kind: 'frequencies', body: 1, frequencies: Float64Array.of(2) }]);
    expect(lastFrame(run(0.02)).q).toHaveLength(1);
  });

  it('tell the new frequencies after a change of material', () => {
    const messages = simulation.handle({ kind: 'material', body: 1, region: 0, young: 3e5 });
    expect(body.young).toBe(3e5);
    expect(messages[0]?.kind).toBe('frequencies');
  });

  it.each([NaN, 0, -1, Infinity])("refuse %d as Young's modulus", (young) => {
    expect(() => simulation.handle({ kind: 'material', body: 1, region: 0, young })).toThrow(
      "Young's modulus",
    );
  });
});

describe('values in force', () => {
  it('of settings are those that a change named', () => {
    set({ speed: 0.5 });
    expect(simulation.inForce({ kind: 'settings', body: 1, settings: { speed: 99 } })).toEqual({
      settings: { speed: 0.5 },
    });
  });

  it("of materials are Young's moduli as accepted last", () => {
    simulation.handle({ kind: 'material', body: 1, region: 0, young: 3e5 });
    expect(simulation.inForce({ kind: 'material', body: 1, region: 0, young: -1 })).toEqual({ young: [3e5] });
  });

  it('of modes are what plays', () => {
    const playback = { index: 1, amplitude: 0.1, rate: 1 };
    const asked = { kind: 'mode', body: 1, playback: { ...playback, index: 9 } } as const;
    expect(simulation.inForce(asked)).toEqual({ mode: null });
    simulation.handle({ kind: 'mode', body: 1, playback });
    expect(() => simulation.handle(asked)).toThrow('Mode');
    expect(simulation.inForce(asked)).toEqual({ mode: playback });
    simulation.handle({ kind: 'reset', body: null });
    expect(simulation.inForce(asked)).toEqual({ mode: null });
  });
});
