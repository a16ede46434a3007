import { beforeEach, describe, expect, it } from 'vitest';
import { App, type Opening } from '../src/app';
import { SimulationClient, type WorkerLike } from '../src/client';
import type { ModelSource } from '../src/model_source';
import type { Command, Message } from '../src/protocol';
import type { RuntimeBody } from '../src/runtime_body';
import type { Stage } from '../src/stage/stage';
import type { PageView } from '../src/ui/page';
import { WorkerHost } from '../src/worker_host';
import { FakeBody } from './fake_body';

/** A worker's side in the same thread: what one side sends reaches the other later, in order. */
class NearWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  onmessageerror: WorkerLike['onmessageerror'] = null;
  readonly commands: Command[] = [];
  private readonly host: WorkerHost;

  constructor(load: () => Promise<RuntimeBody>) {
    this.host = new WorkerHost({
      post: (message: Message) => {
        setTimeout(() => this.onmessage?.({ data: message } as MessageEvent<Message>));
      },
      load,
      clock: () => now,
      schedule: (callback) => scheduled.push(callback),
      crash: (error) => this.onerror?.({ message: String(error) } as ErrorEvent),
    });
  }

  postMessage(command: Command): void {
    this.commands.push(command);
    setTimeout(() => {
      this.host.receive(command);
    });
  }

  terminate(): void {
    this.onmessage = null;
  }
}

let now: number;
let scheduled: (() => void)[];
/** Models that the runtime reads when a test says so; null: it reads them at once. */
let reading: (() => void)[] | null;
let worker: NearWorker;
/** In the order of their loading. */
let bodies: FakeBody[];
let app: App;
let errors: string[];

beforeEach(() => {
  now = 0;
  [scheduled, bodies, errors] = [[], [], []];
  reading = null;
  worker = new NearWorker(async () => {
    await new Promise<void>((resolve) => {
      if (reading) reading.push(resolve);
      else resolve();
    });
    bodies.push(new FakeBody());
    return bodies.at(-1)!;
  });
  app = new App(new SimulationClient(() => worker), fakeStage(), { adaptQuality: false });
  app.show(fakePage());
});

function fakeStage(): Stage {
  const nothing = (): undefined => undefined;
  return new Proxy({ busy: false }, { get: (_, name) => (name === 'busy' ? false : nothing) }) as Stage;
}

function fakePage(): PageView {
  const nothing = (): undefined => undefined;
  return {
    messages: {
      showError: (text: string) => errors.push(text),
      dismiss: () => (errors = []),
      notify: nothing,
    },
    plots: { add: nothing, draw: nothing, clear: nothing },
    domains: { showFrame: nothing },
    transport: { showTime: nothing },
    sliding: false,
    finishInput: nothing,
    showOpening: nothing,
    update: nothing,
  } as unknown as PageView;
}

const settle = (ms = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const model = (name: string): ModelSource => ({ bytes: new ArrayBuffer(4), name, file: name });
const names = (): string[] => app.state.bodies.map(({ name }) => name);

/** A file that takes so many ms to be read. */
const file = (name: string, ms = 0): Opening => ({ name, read: () => settle(ms).then(() => model(name)) });

const badFile = (name: string): Opening => ({
  name,
  read: () => Promise.reject(new Error(`${name} is empty.`)),
});

/** The wall clock goes on. */
async function tick(): Promise<void> {
  now += 0.02;
  for (const callback of scheduled.splice(0)) callback();
  await settle();
}

/** What the worker has, as the page would hear it. */
async function inWorker(): Promise<unknown> {
  const told = app.state.settings;
  app.set({});
  await settle();
  expect(app.state.settings).toEqual(told);
  return { gravity: bodies.at(-1)?.gravity, on: app.state.gravity.on };
}

describe('files that are opened together', () => {
  it('are all shown, in their order, however long each takes to be read; the first is selected', async () => {
    await app.open(model('before.glb'));
    await app.openAll([file('big.glb', 30), file('small.glb', 1), file('c.glb')], false);
    expect(names()).toEqual(['big', 'small', 'c']);
    expect(app.state.name).toBe('big');
    expect(errors).toEqual([]);
  });

  it('replace what was there also where the first cannot be read, which the page goes on to say', async () => {
    await app.open(model('before.glb'));
    await app.openAll([badFile('a.glb'), file('b.glb'), file('c.glb')], false);
    expect(names()).toEqual(['b', 'c']);
    expect(errors).toEqual(['a.glb is empty.']);
  });

  it('take away the message of those before, when they begin', async () => {
    await app.openAll([badFile('a.glb')], true);
    expect(errors).toEqual(['a.glb is empty.']);
    const done = app.openAll([file('b.glb', 10)], true);
    expect(errors).toEqual([]);
    await done;
  });

  it('are shown beside those that were asked for before, which are still being read', async () => {
    const first = app.openAll([file('big.glb', 30)], false);
    const second = app.openAll([file('small.glb', 1)], true);
    await Promise.all([first, second]);
    expect(names()).toEqual(['big', 'small']);
  });

  it('are given up where something else is chosen', async () => {
    const first = app.openAll([file('a.glb', 10), file('b.glb', 10)], false);
    await settle(2);
    const second = app.openAll([file('c.glb', 1)], false);
    await Promise.all([first, second]);
    expect(names()).toEqual(['c']);
    expect(errors).toEqual([]);
  });

  it('leave the selection to a person who makes one while others are read', async () => {
    await app.open(model('a.glb'));
    const done = app.openAll(
      [
        file('b.glb'),
        {
          name: 'c.glb',
          read: () => {
            expect(app.state.name).toBe('b');
            app.select(1);
            return model('c.glb');
          },
        },
      ],
      true,
    );
    await done;
    expect(names()).toEqual(['a', 'b', 'c']);
    expect(app.state.name).toBe('a');
  });
});

describe('the settings of the world', () => {
  it('that change while a model is read are those of the worker', async () => {
    await app.open(model('a.glb'));
    reading = [];
    const done = app.open(model('b.glb'), true);
    await settle();
    app.set({ paused: true, speed: 0.5 });
    await settle();
    reading[0]!();
    await done;
    expect(app.state.settings).toMatchObject({ paused: true, speed: 0.5 });
    await settle();
    expect(app.state.settings).toMatchObject({ paused: true, speed: 0.5 });
    await inWorker();
  });

  it('have no gravity that was asked for where there was no body', async () => {
    app.setGravity({ on: true });
    expect(app.state.gravity.on).toBe(false);
    reading = [];
    const done = app.open(model('a.glb'), true);
    await settle();
    app.setGravity({ on: true });
    reading[0]!();
    await done;
    expect(await inWorker()).toEqual({ gravity: [0, 0, 0], on: false });
  });

  it('have the gravity that a script or a person asked for, which the switch shows', async () => {
    await app.open(model('a.glb'));
    app.set({ gravity: [0, -9.81, 0] });
    expect(app.state.gravity).toEqual({ on: true, direction: '-y', strength: 1 });
    await app.open(model('b.glb'), true);
    expect(await inWorker()).toEqual({ gravity: [0, -9.81, 0], on: true });
    await app.open(model('c.glb'));
    expect(await inWorker()).toEqual({ gravity: [0, 0, 0], on: false });
  });

  it('are those of the new world where all bodies are replaced, whatever was asked for meanwhile', async () => {
    await app.open(model('a.glb'));
    reading = [];
    const done = app.open(model('b.glb'));
    await settle();
    app.setGravity({ on: true });
    app.set({ paused: true });
    reading[0]!();
    await done;
    await settle();
    expect(app.state.settings.paused).toBe(false);
    expect(await inWorker()).toEqual({ gravity: [0, 0, 0], on: false });
  });
});

describe('a file that is opened again', () => {
  it('is read again where its first body has gone when its turn comes', async () => {
    await app.open(model('x.glb'));
    await tick();
    bodies[0]!.step =
      bodies[0]!.restore =
      bodies[0]!.reset =
        () => {
          throw new Error('the runtime failed');
        };
    const done = app.open(model('x.glb'), true);
    // The simulation is lost after the page has asked for the copy, and before the worker hears of that.
    await Promise.resolve();
    await Promise.resolve();
    now += 0.02;
    for (const callback of scheduled.splice(0)) callback();
    await done;
    expect(worker.commands.map(({ kind }) => kind)).toEqual(['load', 'copy', 'load']);
    expect(names()).toEqual(['x']);
  });

  it('is read where a choice that was made before replaces its first body', async () => {
    await app.open(model('x.glb'));
    const replaced = app.openAll([file('y.glb', 10)], false);
    const added = app.open(model('x.glb'), true);
    await Promise.all([replaced, added]);
    expect(names()).toEqual(['y', 'x']);
    expect(errors).toEqual([]);
  });
});

describe('a body that fails', () => {
  it('goes back to rest alone, and is called what the page calls it', async () => {
    await app.open(model('a.glb'));
    await app.open(model('a.glb'), true);
    await app.open(model('b.glb'), true);
    await tick();
    bodies[0]!.step = bodies[0]!.restore = () => {
      throw new Error('its forces are not finite');
    };
    for (let i = 0; i < 3; ++i) await tick();
    expect(names()).toEqual(['a', 'a 2', 'b']);
    expect(errors[0]).toBe(
      'The motion failed (its forces are not finite): a was put back to rest. ' +
        'A smaller time step, more damping or weaker loads help.',
    );
    expect(app.state.settings.paused).toBe(true); // it failed again at once
  });
});
