import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SimulationClient } from '../src/client';
import type { ClientEvents, WorkerLike } from '../src/client';
import type { Command, Message } from '../src/protocol';
import { FakeBody, frameWith } from './fake_body';

class FakeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  onmessageerror: WorkerLike['onmessageerror'] = null;
  terminated = false;
  readonly commands: Command[] = [];
  readonly transfers: Transferable[][] = [];

  postMessage(command: Command, transfer: Transferable[]): void {
    this.commands.push(command);
    this.transfers.push(transfer);
  }

  terminate(): void {
    this.terminated = true;
  }

  answer(...messages: Message[]): void {
    for (const data of messages) this.onmessage?.({ data } as MessageEvent<Message>);
  }
}

let workers: FakeWorker[];
let client: SimulationClient;

beforeEach(() => {
  workers = [];
  client = new SimulationClient(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
});

function loaded(name: string, number = 1): Message & { kind: 'loaded' } {
  const body = new FakeBody();
  return {
    kind: 'loaded',
    body: number,
    name,
    info: body.info,
    surface: body.surface(),
    place: [0, 0, 0],
    settings: {} as never,
    frequencies: body.frequencies(),
  };
}

const frame = frameWith();

async function open(): Promise<FakeWorker> {
  const promise = client.load(new ArrayBuffer(4), 'a.glb', true);
  workers.at(-1)!.answer(loaded('a.glb'));
  await promise;
  return workers.at(-1)!;
}

function heard<K extends keyof ClientEvents>(kind: K): ClientEvents[K][] {
  const events: ClientEvents[K][] = [];
  client.on(kind, (event) => events.push(event));
  return events;
}

describe('loading', () => {
  it('moves the bytes to the worker and resolves with what it answers', async () => {
    const bytes = new ArrayBuffer(4);
    const promise = client.load(bytes, 'a.glb', true);
    expect(workers[0]?.commands).toEqual([{ kind: 'load', bytes, name: 'a.glb', replace: true }]);
    expect(workers[0]?.transfers[0]?.[0]).toBe(bytes);
    workers[0]!.answer(loaded('a.glb'));
    expect((await promise).name).toBe('a.glb');
  });

  it('rejects with what the worker says', async () => {
    const promise = client.load(new ArrayBuffer(4), 'b.glb', true);
    workers[0]!.answer({ kind: 'failed', command: 'load', body: null, message: 'b.glb: not a model' });
    await expect(promise).rejects.toThrow('b.glb: not a model');
  });

  it('answers each load with its own answer', async () => {
    const first = client.load(new ArrayBuffer(4), 'a.glb', true);
    const second = client.load(new ArrayBuffer(4), 'b.glb', true);
    workers[0]!.answer(
      { kind: 'failed', command: 'load', body: null, message: 'another model' },
      loaded('b.glb'),
    );
    await expect(first).rejects.toThrow('another model');
    expect((await second).name).toBe('b.glb');
  });

  it('announces a model before the first frame of it', async () => {
    const order: string[] = [];
    client.on('loaded', ({ name }) => order.push(name));
    client.on('frame', () => order.push('frame'));
    const promise = client.load(new ArrayBuffer(4), 'a.glb', true);
    workers[0]!.answer(loaded('a.glb'), { kind: 'frame', body: 1, frame });
    await promise;
    expect(order).toEqual(['a.glb', 'frame']);
  });

  it('uses the same worker again', async () => {
    await open();
    await open();
    expect(workers).toHaveLength(1);
  });

  it('says why no worker could be made', async () => {
    client = new SimulationClient(() => {
      throw new Error('blocked');
    });
    await expect(client.load(new ArrayBuffer(4), 'a.glb', true)).rejects.toThrow(
      'The simulation could not be started: blocked',
    );
  });
});

describe('answers', () => {
  it('resolve grabs by their ids', async () => {
    const worker = await open();
    const one = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    const two = client.grab(2, [0, 0, 0], [0, 0, 1], 1);
    worker.answer(
      { kind: 'missed', id: 2, body: null },
      { kind: 'grabbed', id: 1, body: 1, vertex: 5, point: [1, 2, 3] },
    );
    expect(await one).toMatchObject({ body: 1, vertex: 5, point: [1, 2, 3] });
    expect(await two).toBeNull();
  });

  it('resolve grabs with the same id in their order', async () => {
    const worker = await open();
    const one = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    const two = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    worker.answer(
      { kind: 'missed', id: 1, body: null },
      { kind: 'grabbed', id: 1, body: 1, vertex: 5, point: [1, 2, 3] },
    );
    expect(await one).toBeNull();
    expect((await two)?.vertex).toBe(5);
  });

  it('give the simulation mesh to whoever asked', async () => {
    const worker = await open();
    const promise = client.simulationMesh(1);
    const mesh = new FakeBody().simulationMesh();
    worker.answer({ kind: 'simulation-mesh', mesh });
    expect(await promise).toBe(mesh);
  });

  it('are not waited for without a worker', async () => {
    expect(await client.grab(1, [0, 0, 0], [0, 0, 1], 1)).toBeNull();
    expect(await client.simulationMesh(1)).toBeNull();
  });
});

describe('commands', () => {
  it('reach the worker in their order', async () => {
    const worker = await open();
    client.set(1, { paused: true });
    client.step();
    client.drag(1, [1, 2, 3]);
    client.release(1);
    client.strength(2);
    client.material(1, 0, 5);
    client.mode(1, null);
    client.reset(null);
    client.remove(1);
    client.unload();
    expect(worker.commands.slice(1)).toEqual([
      { kind: 'settings', body: 1, settings: { paused: true } },
      { kind: 'step' },
      { kind: 'drag', id: 1, target: [1, 2, 3] },
      { kind: 'release', id: 1 },
      { kind: 'strength', strength: 2 },
      { kind: 'material', body: 1, region: 0, young: 5 },
      { kind: 'mode', body: 1, playback: null },
      { kind: 'reset', body: null },
      { kind: 'remove', body: 1 },
      { kind: 'unload' },
    ]);
  });
});

describe('events', () => {
  it('tell frames, and the newest one is kept', async () => {
    const worker = await open();
    const frames = heard('frame');
    worker.answer({ kind: 'frame', body: 1, frame });
    expect(frames).toMatchObject([{ body: 1, frame }]);
    expect(client.newestFrame(1)).toBe(frame);
  });

  it('forget the frame of a body that is taken away', async () => {
    (await open()).answer({ kind: 'frame', body: 1, frame });
    client.remove(1);
    expect(client.newestFrame(1)).toBeNull();
  });

  it('leave out frames of bodies that are not there, which are not kept either', async () => {
    const worker = await open();
    worker.answer({ kind: 'frame', body: 1, frame });
    const replaced = client.load(new ArrayBuffer(4), 'b.glb', true);
    worker.answer(loaded('b.glb', 2));
    await replaced;
    expect(client.newestFrame(1)).toBeNull();
    const frames = heard('frame');
    worker.answer({ kind: 'frame', body: 1, frame }, { kind: 'frame', body: 2, frame });
    client.remove(2);
    worker.answer({ kind: 'frame', body: 2, frame });
    expect(frames.map(({ body }) => body)).toEqual([2]);
    expect([client.newestFrame(1), client.newestFrame(2)]).toEqual([null, null]);
  });

  it('keep the frames of bodies that another one is added to', async () => {
    const worker = await open();
    worker.answer({ kind: 'frame', body: 1, frame });
    const added = client.load(new ArrayBuffer(4), 'b.glb', false);
    worker.answer(loaded('b.glb', 2));
    await added;
    expect(client.newestFrame(1)).toBe(frame);
  });

  it('tell the settings of the world once the worker has seen all changes of them', async () => {
    const worker = await open();
    const worlds = heard('world');
    const settings = {
      paused: true,
      speed: 1,
      timeStep: 1e-3,
      gravity: [0, 0, 0],
      ground: true,
      obstacle: false,
      tool: false,
    } as const;
    worker.answer({ kind: 'world', settings, answered: 0 });
    client.set(1, { speed: 0.5 });
    client.set(1, { speed: 0.2 });
    for (const answered of [0, 1]) worker.answer({ kind: 'world', settings, answered });
    expect(worlds).toEqual([settings]);
    worker.answer({ kind: 'world', settings: { ...settings, speed: 0.2 }, answered: 2 });
    expect(worlds[1]).toMatchObject({ speed: 0.2 });
  });

  it('tell which body was pointed at, also where it cannot be held', async () => {
    const worker = await open();
    const met = heard('met');
    worker.answer(
      { kind: 'missed', id: 1, body: null },
      { kind: 'missed', id: 2, body: 5 },
      { kind: 'grabbed', id: 3, body: 6, vertex: 0, point: [0, 0, 0] },
    );
    expect(met).toEqual([{ body: 5 }, { body: 6 }]);
  });

  it('tell restarts, frequencies and failures', async () => {
    const worker = await open();
    const [restarts, frequencies, failures] = [heard('restarted'), heard('frequencies'), heard('failed')];
    worker.answer(
      { kind: 'restarted', body: 1, reason: 'No steps', paused: false },
      { kind: 'frequencies', body: 1, frequencies: Float64Array.of(3) },
      { kind: 'failed', command: 'material', body: 1, message: 'No.', inForce: { young: [7] } },
    );
    expect(restarts).toMatchObject([{ body: 1, reason: 'No steps', paused: false }]);
    expect(frequencies).toMatchObject([{ body: 1, frequencies: Float64Array.of(3) }]);
    expect(failures).toEqual([{ command: 'material', body: 1, message: 'No.', inForce: { young: [7] } }]);
  });

  it('tell that the body was lost, and its frame is forgotten', async () => {
    const worker = await open();
    const losses = heard('lost');
    worker.answer({ kind: 'frame', body: 1, frame }, { kind: 'lost', message: 'Stopped.' });
    expect(losses).toMatchObject([{ message: 'Stopped.' }]);
    expect(client.newestFrame(1)).toBeNull();
  });

  it('are not told to a listener that has left', async () => {
    const worker = await open();
    const listener = vi.fn();
    client.on('frame', listener)();
    worker.answer({ kind: 'frame', body: 1, frame });
    expect(listener).not.toHaveBeenCalled();
  });
});

describe('a worker that fails', () => {
  it('is ended, reported, and replaced for the next model', async () => {
    const worker = await open();
    const losses = heard('lost');
    worker.onerror?.({ message: 'out of memory' } as ErrorEvent);
    expect(worker.terminated).toBe(true);
    expect(losses).toEqual([
      { message: 'The simulation failed: out of memory. Open the model again to go on.' },
    ]);
    const worlds = heard('world');
    client.set(1, { speed: 0.5 }); // which nobody hears
    await open();
    expect(workers).toHaveLength(2);
    workers[1]!.answer({ kind: 'world', settings: {} as never, answered: 0 });
    expect(worlds).toHaveLength(1);
  });

  it('rejects the load that waits for it, and the body before is lost too', async () => {
    const losses = heard('lost');
    const promise = client.load(new ArrayBuffer(4), 'a.glb', true);
    workers[0]?.onerror?.({ message: '' } as ErrorEvent);
    await expect(promise).rejects.toThrow('The simulation failed.');
    expect(losses).toHaveLength(1);
  });

  it('answers open grabs and meshes', async () => {
    const worker = await open();
    const grab = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    const mesh = client.simulationMesh(1);
    worker.onmessageerror?.({} as MessageEvent);
    expect(await grab).toBeNull();
    await expect(mesh).rejects.toThrow('could not be read');
  });
});
