import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../src/protocol';
import { WorkerHost } from '../src/worker_host';
import { FakeBody } from './fake_body';

let posted: { message: Message; transfer: Transferable[] }[];
let scheduled: (() => void)[];
let now: number;
/** Answers of the runtime to loads, in their order. */
let answers: (() => Promise<FakeBody>)[];
let crashes: unknown[];
/** Whether posting fails. */
let deaf: boolean;
let host: WorkerHost;

beforeEach(() => {
  posted = [];
  scheduled = [];
  answers = [];
  crashes = [];
  deaf = false;
  now = 0;
  host = new WorkerHost({
    post: (message, transfer) => {
      if (deaf) throw new Error('cannot be cloned');
      posted.push({ message, transfer });
    },
    load: () => answers.shift()!(),
    clock: () => now,
    schedule: (callback) => scheduled.push(callback),
    crash: (error) => crashes.push(error),
  });
});

/** Lets promises settle. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

async function load(answer: () => Promise<FakeBody>, name = 'a.glb'): Promise<void> {
  answers.push(answer);
  host.receive({ kind: 'load', bytes: new ArrayBuffer(0), replace: true, name });
  await settle();
}

async function loadFake(): Promise<FakeBody> {
  const body = new FakeBody();
  await load(() => Promise.resolve(body));
  return body;
}

/** One round of what was scheduled, a hundredth of a second later. */
function tick(): void {
  now += 0.01;
  for (const callback of scheduled.splice(0)) callback();
}

/** But for the settings of the world, which have tests of their own. */
const kinds = (): string[] => posted.map(({ message }) => message.kind).filter((kind) => kind !== 'world');

const worlds = () =>
  posted.flatMap(({ message }) =>
    message.kind === 'world' ? [{ ...message.settings, answered: message.answered }] : [],
  );

describe('loading', () => {
  it('posts the model and then its first frame', async () => {
    await loadFake();
    tick();
    expect(kinds()).toEqual(['loaded', 'frame']);
  });

  it('transfers the arrays of the surface', async () => {
    await loadFake();
    const { message, transfer } = posted.find(({ message: { kind } }) => kind === 'loaded')!;
    if (message.kind !== 'loaded') throw new Error('expected a model');
    const arrays = Object.values(message.surface).filter((value) => ArrayBuffer.isView(value));
    expect(arrays.length).toBe(7);
    expect(transfer).toEqual(arrays.map(({ buffer }) => buffer));
  });

  it('disposes of the old body once there is a new one', async () => {
    const old = await loadFake();
    await loadFake();
    expect(old.disposed).toBe(true);
  });

  it('keeps the old body where the new one cannot be read', async () => {
    const old = await loadFake();
    await load(() => Promise.reject(new Error('b.glb: not a model')), 'b.glb');
    expect(posted.at(-1)?.message).toEqual({
      kind: 'failed',
      command: 'load',
      body: null,
      message: 'b.glb: not a model',
      inForce: {},
    });
    tick();
    tick();
    expect(old.disposed).toBe(false);
    expect(old.steps.length).toBeGreaterThan(0);
  });

  it('skips a model that another one follows', async () => {
    const loaded: string[] = [];
    const answer = (name: string) => (): Promise<FakeBody> => {
      loaded.push(name);
      return Promise.resolve(new FakeBody());
    };
    answers.push(answer('a'), answer('c'));
    for (const name of ['a', 'b', 'c'])
      host.receive({ kind: 'load', bytes: new ArrayBuffer(0), replace: true, name });
    await settle();
    expect(kinds()).toEqual(['loaded', 'failed', 'loaded']);
    expect(loaded).toEqual(['a', 'c']);
  });

  it('adds bodies, of which those of one file are copies', async () => {
    const first = await loadFake();
    host.receive({ kind: 'copy', body: 1, name: 'a.glb' });
    answers.push(() => Promise.resolve(new FakeBody()));
    host.receive({ kind: 'load', bytes: new ArrayBuffer(0), replace: false, name: 'b.glb' });
    await settle();
    tick();
    const bodies = posted.flatMap(({ message }) => (message.kind === 'loaded' ? [message.body] : []));
    expect(bodies).toEqual([1, 2, 3]);
    expect(first.copies).toBe(2);
    expect(kinds().slice(3)).toEqual(['frame', 'frame', 'frame']);
  });

  it('refuses a copy of a body that has gone', async () => {
    await loadFake();
    host.receive({ kind: 'remove', body: 1 });
    host.receive({ kind: 'copy', body: 1, name: 'a.glb' });
    expect(posted.at(-1)?.message).toMatchObject({ kind: 'failed', command: 'copy' });
  });

  it('lets later commands wait for the new body', async () => {
    const body = new FakeBody();
    answers.push(() => Promise.resolve(body));
    host.receive({ kind: 'load', bytes: new ArrayBuffer(0), replace: true, name: 'a.glb' });
    host.receive({ kind: 'settings', body: 1, settings: { method: 'linear' } });
    await settle();
    expect(body.method).toBe('linear');
  });
});

describe('unloading', () => {
  it('disposes of the body and stands still', async () => {
    const body = await loadFake();
    host.receive({ kind: 'unload' });
    tick();
    expect(body.disposed).toBe(true);
    expect(kinds()).toEqual(['loaded']);
    expect(scheduled).toHaveLength(0);
  });

  it('leaves the way to the next model', async () => {
    await loadFake();
    host.receive({ kind: 'unload' });
    await loadFake();
    tick();
    expect(kinds()).toEqual(['loaded', 'loaded', 'frame']);
  });

  it('without a body does nothing', () => {
    host.receive({ kind: 'unload' });
    expect(posted).toEqual([]);
  });
});

describe('running', () => {
  it('sleeps while paused and wakes up for a command', async () => {
    await loadFake();
    host.receive({ kind: 'settings', body: 1, settings: { paused: true } });
    for (let i = 0; i < 5; ++i) tick();
    expect(scheduled).toHaveLength(0);
    host.receive({ kind: 'settings', body: 1, settings: { paused: false } });
    expect(scheduled).toHaveLength(1);
  });

  it('transfers the coordinates of a frame', async () => {
    await loadFake();
    tick();
    const { message, transfer } = posted.at(-1)!;
    expect(message.kind === 'frame' && transfer[0] === message.frame.q.buffer).toBe(true);
  });

  it('turns a command that fails into a message and goes on', async () => {
    await loadFake();
    host.receive({ kind: 'material', body: 1, region: 9, young: 1 });
    expect(posted.at(-1)?.message).toMatchObject({
      kind: 'failed',
      command: 'material',
      inForce: { young: [1e5] },
    });
    tick();
    expect(scheduled).toHaveLength(1);
  });

  it('answers a grab that fails', async () => {
    await loadFake();
    host.receive({ kind: 'grab', id: 3, origin: [NaN, 0, 0], direction: [0, 0, 1], strength: 1 });
    expect(kinds().slice(1)).toEqual(['failed', 'missed']);
  });

  it('answers a grab without a body', () => {
    host.receive({ kind: 'grab', id: 3, origin: [0, 0, 0], direction: [0, 0, 1], strength: 1 });
    expect(posted[0]?.message).toEqual({ kind: 'missed', id: 3, body: null });
  });

  it('drops a body that answers nothing any more, and takes the next model', async () => {
    const body = await loadFake();
    const dead = (): never => {
      throw new Error('the runtime failed');
    };
    body.onStep = dead;
    body.restore = dead;
    body.reset = dead;
    body.dispose = dead;
    tick();
    tick();
    expect(posted.find(({ message: { kind } }) => kind === 'lost')?.message).toEqual({
      kind: 'lost',
      message: 'The simulation stopped: the runtime failed',
    });
    expect(scheduled).toHaveLength(0);
    await loadFake();
    tick();
    expect(kinds().slice(-2)).toEqual(['loaded', 'frame']);
  });

  it('takes further commands where a body cannot even say what is in force', async () => {
    const body = await loadFake();
    const [domain] = body.info.domains;
    Object.assign(body.info, { domains: [domain, domain] });
    body.stiffness = body.setStiffness = (): never => {
      throw new Error('the runtime failed');
    };
    host.receive({ kind: 'stiffness', body: 1, domains: [0], factor: 2 });
    expect(posted.at(-1)?.message).toMatchObject({ kind: 'failed', command: 'stiffness', inForce: {} });
    await loadFake();
    expect(kinds().at(-1)).toBe('loaded');
    expect(crashes).toEqual([]);
  });

  it('gives up where it cannot even tell of a failure, and goes on with what follows', async () => {
    await loadFake();
    deaf = true;
    host.receive({ kind: 'material', body: 1, region: 9, young: 1 });
    await settle();
    expect(crashes).toEqual([new Error('cannot be cloned')]);
    deaf = false;
    await loadFake();
    expect(kinds()).toEqual(['loaded', 'loaded']);
  });
});

describe('the settings of the world', () => {
  it('are told before a body that changes them, and again where it is the last to go', async () => {
    const body = new FakeBody();
    body.natural = [300, 900];
    await load(() => Promise.resolve(body));
    expect(posted.map(({ message }) => message.kind)).toEqual(['world', 'loaded']);
    expect(worlds()).toMatchObject([{ speed: 0.01, timeStep: 5e-5, answered: 0 }]);
    host.receive({ kind: 'unload' });
    expect(worlds()[1]).toMatchObject({ speed: 1, timeStep: 1e-3, answered: 0 });
  });

  it('answer each change of settings, also one that is refused or of a body that has gone', async () => {
    await loadFake();
    posted = [];
    host.receive({ kind: 'settings', body: 1, settings: { paused: true } });
    host.receive({ kind: 'settings', body: 1, settings: { speed: -1 } });
    host.receive({ kind: 'settings', body: 7, settings: { paused: false } });
    host.receive({ kind: 'settings', body: 1, settings: { accuracy: 'exact' } });
    expect(worlds().map(({ paused, speed, answered }) => [paused, speed, answered])).toEqual([
      [true, 1, 1],
      [true, 1, 2],
      [true, 1, 3],
      [true, 1, 4],
    ]);
  });

  it('tell of a pause because of steps that fail', async () => {
    const body = await loadFake();
    body.onStep = (): never => {
      throw new Error('no convergence');
    };
    posted = [];
    for (let i = 0; i < 5; ++i) tick();
    expect(worlds()).toMatchObject([{ paused: true }]);
  });
});
