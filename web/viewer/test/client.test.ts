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

function loaded(name: string): Message & { kind: 'loaded' } {
  const body = new FakeBody();
  return {
    kind: 'loaded',
    name,
    info: body.info,
    surface: body.surface(),
    settings: {} as never,
    frequencies: body.frequencies(),
  };
}

const frame = frameWith();

async function open(): Promise<FakeWorker> {
  const promise = client.load(new ArrayBuffer(4), 'a.glb');
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
    const promise = client.load(bytes, 'a.glb');
    expect(workers[0]?.commands).toEqual([{ kind: 'load', bytes, name: 'a.glb' }]);
    expect(workers[0]?.transfers[0]?.[0]).toBe(bytes);
    workers[0]!.answer(loaded('a.glb'));
    expect((await promise).name).toBe('a.glb');
  });

  it('rejects with what the worker says', async () => {
    const promise = client.load(new ArrayBuffer(4), 'b.glb');
    workers[0]!.answer({ kind: 'failed', command: 'load', message: 'b.glb: not a model' });
    await expect(promise).rejects.toThrow('b.glb: not a model');
  });

  it('answers each load with its own answer', async () => {
    const first = client.load(new ArrayBuffer(4), 'a.glb');
    const second = client.load(new ArrayBuffer(4), 'b.glb');
    workers[0]!.answer({ kind: 'failed', command: 'load', message: 'another model' }, loaded('b.glb'));
    await expect(first).rejects.toThrow('another model');
    expect((await second).name).toBe('b.glb');
  });

  it('announces a model before the first frame of it', async () => {
    const order: string[] = [];
    client.on('loaded', ({ name }) => order.push(name));
    client.on('frame', () => order.push('frame'));
    const promise = client.load(new ArrayBuffer(4), 'a.glb');
    workers[0]!.answer(loaded('a.glb'), { kind: 'frame', frame });
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
    await expect(client.load(new ArrayBuffer(4), 'a.glb')).rejects.toThrow(
      'The simulation could not be started: blocked',
    );
  });
});

describe('answers', () => {
  it('resolve grabs by their ids', async () => {
    const worker = await open();
    const one = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    const two = client.grab(2, [0, 0, 0], [0, 0, 1], 1);
    worker.answer({ kind: 'missed', id: 2 }, { kind: 'grabbed', id: 1, vertex: 5, point: [1, 2, 3] });
    expect(await one).toEqual({ vertex: 5, point: [1, 2, 3] });
    expect(await two).toBeNull();
  });

  it('resolve grabs with the same id in their order', async () => {
    const worker = await open();
    const one = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    const two = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    worker.answer({ kind: 'missed', id: 1 }, { kind: 'grabbed', id: 1, vertex: 5, point: [1, 2, 3] });
    expect(await one).toBeNull();
    expect((await two)?.vertex).toBe(5);
  });

  it('give the simulation mesh to whoever asked', async () => {
    const worker = await open();
    const promise = client.simulationMesh();
    const mesh = new FakeBody().simulationMesh();
    worker.answer({ kind: 'simulation-mesh', mesh });
    expect(await promise).toBe(mesh);
  });

  it('are not waited for without a worker', async () => {
    expect(await client.grab(1, [0, 0, 0], [0, 0, 1], 1)).toBeNull();
    expect(await client.simulationMesh()).toBeNull();
  });
});

describe('commands', () => {
  it('reach the worker in their order', async () => {
    const worker = await open();
    client.set({ paused: true });
    client.step();
    client.drag(1, [1, 2, 3]);
    client.release(1);
    client.strength(2);
    client.material(0, 5);
    client.mode(null);
    client.reset();
    client.unload();
    expect(worker.commands.slice(1)).toEqual([
      { kind: 'settings', settings: { paused: true } },
      { kind: 'step' },
      { kind: 'drag', id: 1, target: [1, 2, 3] },
      { kind: 'release', id: 1 },
      { kind: 'strength', strength: 2 },
      { kind: 'material', region: 0, young: 5 },
      { kind: 'mode', playback: null },
      { kind: 'reset' },
      { kind: 'unload' },
    ]);
  });
});

describe('events', () => {
  it('tell frames, and the newest one is kept', async () => {
    const worker = await open();
    const frames = heard('frame');
    worker.answer({ kind: 'frame', frame });
    expect(frames).toEqual([frame]);
    expect(client.newestFrame).toBe(frame);
  });

  it('forget the frame of the model before', async () => {
    (await open()).answer({ kind: 'frame', frame });
    await open();
    expect(client.newestFrame).toBeNull();
  });

  it('tell restarts, frequencies and failures', async () => {
    const worker = await open();
    const [restarts, frequencies, failures] = [heard('restarted'), heard('frequencies'), heard('failed')];
    worker.answer(
      { kind: 'restarted', message: 'Back to rest.', paused: false },
      { kind: 'frequencies', frequencies: Float64Array.of(3) },
      { kind: 'failed', command: 'material', message: 'No.', inForce: { young: [7] } },
    );
    expect(restarts).toEqual([{ message: 'Back to rest.', paused: false }]);
    expect(frequencies).toEqual([Float64Array.of(3)]);
    expect(failures).toEqual([{ command: 'material', message: 'No.', inForce: { young: [7] } }]);
  });

  it('tell that the body was lost, and its frame is forgotten', async () => {
    const worker = await open();
    const losses = heard('lost');
    worker.answer({ kind: 'frame', frame }, { kind: 'lost', message: 'Stopped.' });
    expect(losses).toEqual([{ message: 'Stopped.' }]);
    expect(client.newestFrame).toBeNull();
  });

  it('are not told to a listener that has left', async () => {
    const worker = await open();
    const listener = vi.fn();
    client.on('frame', listener)();
    worker.answer({ kind: 'frame', frame });
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
    await open();
    expect(workers).toHaveLength(2);
  });

  it('rejects the load that waits for it, and the body before is lost too', async () => {
    const losses = heard('lost');
    const promise = client.load(new ArrayBuffer(4), 'a.glb');
    workers[0]?.onerror?.({ message: '' } as ErrorEvent);
    await expect(promise).rejects.toThrow('The simulation failed.');
    expect(losses).toHaveLength(1);
  });

  it('answers open grabs and meshes', async () => {
    const worker = await open();
    const grab = client.grab(1, [0, 0, 0], [0, 0, 1], 1);
    const mesh = client.simulationMesh();
    worker.onmessageerror?.({} as MessageEvent);
    expect(await grab).toBeNull();
    await expect(mesh).rejects.toThrow('could not be read');
  });
});
