import type { Quaternion, SimulationMesh, Vector3 } from '../../runtime/src/types';
import type { Surroundings } from './contact';
import type { ToolState } from './tool';
import type {
  Command,
  Frame,
  HandlePriority,
  Hold,
  InForce,
  Message,
  ModePlayback,
  Settings,
  WorldSettings,
} from './protocol';

export type Loaded = Extract<Message, { kind: 'loaded' }>;

export interface Grabbed {
  readonly body: number;
  readonly vertex: number;
  /** Where the vertex is. */
  readonly point: Vector3;
}

/** What a client tells its listeners. */
export interface ClientEvents {
  /** There is another body; its frames follow. */
  loaded: Loaded;
  frame: { readonly body: number; readonly frame: Frame };
  /** A person has pointed at a body, whether or not it can be held there. */
  met: { readonly body: number };
  /** What is in force for all bodies, as far as it was asked for. */
  world: WorldSettings;
  /** What bodies may meet from now on. */
  surroundings: Surroundings;
  /** The ball in the hand, as it is now; null: there is none. */
  tool: ToolState | null;
  /** A body failed and was put back to rest. reason: the beginning of a sentence. */
  restarted: { readonly body: number; readonly reason: string; readonly paused: boolean };
  /** A command could not be carried out; `inForce` are the values that it did not change. body: null where it is of none. */
  failed: {
    readonly command: Command['kind'];
    readonly body: number | null;
    readonly message: string;
    readonly inForce: InForce;
  };
  /** The bodies or the worker itself failed: there is none until a model is loaded. */
  lost: { readonly message: string };
  frequencies: { readonly body: number; readonly frequencies: Float64Array };
}

/** What a client needs of a worker. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<Message>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  postMessage(command: Command, transfer: Transferable[]): void;
  terminate(): void;
}

interface Promised<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

interface PromisedLoad extends Promised<Loaded> {
  /** In place of all other bodies. */
  readonly replace: boolean;
}

/**
 * The page's side of the simulation. In a page:
 *
 *     import SimulationWorker from './worker?worker&inline';
 *     const client = new SimulationClient(() => new SimulationWorker());
 *
 * A worker that failed is replaced by a new one when the next model is loaded.
 */
export class SimulationClient {
  /** Of the bodies that are there; null: before the first one. */
  private readonly newest = new Map<number, Frame | null>();
  /** Commands about settings that this worker was sent. */
  private asked = 0;
  private worker: WorkerLike | null = null;
  private readonly listeners: { [K in keyof ClientEvents]: Set<(event: ClientEvents[K]) => void> } = {
    loaded: new Set(),
    frame: new Set(),
    met: new Set(),
    world: new Set(),
    surroundings: new Set(),
    tool: new Set(),
    restarted: new Set(),
    failed: new Set(),
    lost: new Set(),
    frequencies: new Set(),
  };
  // The worker answers loads and meshes one by one, in their order.
  private readonly loads: PromisedLoad[] = [];
  private readonly meshes: Promised<SimulationMesh | null>[] = [];
  private readonly grabs = new Map<number, ((grabbed: Grabbed | null) => void)[]>();

  constructor(private readonly createWorker: () => WorkerLike) {}

  /** Calls `listener` at each such event; the function returned ends that. */
  on<K extends keyof ClientEvents>(kind: K, listener: (event: ClientEvents[K]) => void): () => void {
    this.listeners[kind].add(listener);
    return () => this.listeners[kind].delete(listener);
  }

  /** Of a body. */
  newestFrame(body: number): Frame | null {
    return this.newest.get(body) ?? null;
  }

  /**
   * Opens a model, beside the bodies at hand or in place of them. Where that fails they stay, and the promise is rejected with a sentence
   * for people; so it is where a load that replaces all follows before this one's turn. The bytes are moved to the worker.
   */
  load(bytes: ArrayBuffer, name: string, replace: boolean): Promise<Loaded> {
    return this.add({ kind: 'load', bytes, name, replace }, [bytes]);
  }

  /** Adds a body that shares the model of another one. */
  copy(body: number, name: string): Promise<Loaded> {
    return this.add({ kind: 'copy', body, name }, []);
  }

  /** Takes a body away. */
  remove(body: number): void {
    this.newest.delete(body);
    this.send({ kind: 'remove', body });
  }

  /** Takes all of them away. */
  unload(): void {
    this.newest.clear();
    this.send({ kind: 'unload' });
  }

  /** Of a body, and of the world that it is in. */
  set(body: number, settings: Partial<Settings>): void {
    ++this.asked;
    this.send({ kind: 'settings', body, settings });
  }

  /** Young's modulus of a region, Pa. */
  material(body: number, region: number, young: number): void {
    this.send({ kind: 'material', body, region, young });
  }

  /** Factor of the elastic forces of some domains. */
  stiffness(body: number, domains: readonly number[], factor: number): void {
    this.send({ kind: 'stiffness', body, domains, factor });
  }

  /** Lifts a body by its height, and lets it go. */
  drop(body: number): void {
    this.send({ kind: 'drop', body });
  }

  /** Where the ball in the hand is to be. */
  moveTool(target: Vector3): void {
    this.send({ kind: 'tool', target });
  }

  step(): void {
    this.send({ kind: 'step' });
  }

  /** null: all bodies, and the clock. */
  reset(body: number | null): void {
    this.send({ kind: 'reset', body });
  }

  /** Holds the body that the ray meets first; null: it meets nothing that can be moved. */
  grab(id: number, origin: Vector3, direction: Vector3, strength: number): Promise<Grabbed | null> {
    return this.ask({ kind: 'grab', id, origin, direction, strength });
  }

  drag(id: number, target: Vector3): void {
    this.send({ kind: 'drag', id, target });
  }

  release(id: number): void {
    this.send({ kind: 'release', id });
  }

  strength(strength: number): void {
    this.send({ kind: 'strength', strength });
  }

  /** Makes a handle where the ray first meets a body; null: it meets nothing that can be moved. */
  addHandle(id: number, origin: Vector3, direction: Vector3): Promise<Grabbed | null> {
    return this.ask({ kind: 'handle-add', id, origin, direction });
  }

  moveHandle(id: number, to: { readonly position?: Vector3; readonly rotation?: Quaternion }): void {
    this.send({ kind: 'handle-move', id, ...to });
  }

  changeHandle(id: number, hold: Hold): void {
    this.send({ kind: 'handle-change', id, hold });
  }

  /** null: all of them. */
  removeHandle(body: number, id: number | null): void {
    this.send({ kind: 'handle-remove', body, id });
  }

  handlePriority(body: number, priority: HandlePriority): void {
    this.send({ kind: 'handle-priority', body, priority });
  }

  /** Plays a mode; null: no longer. */
  mode(body: number, playback: ModePlayback | null): void {
    this.send({ kind: 'mode', body, playback });
  }

  /** null: the file leaves it out. */
  simulationMesh(body: number): Promise<SimulationMesh | null> {
    if (!this.worker) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.meshes.push({ resolve, reject });
      this.send({ kind: 'simulation-mesh', body });
    });
  }

  /** Ends the worker. Promises that are open are rejected. */
  dispose(): void {
    this.abandon('The simulation was closed.');
  }

  private add(
    command: Extract<Command, { kind: 'load' | 'copy' }>,
    transfer: Transferable[],
  ): Promise<Loaded> {
    return new Promise((resolve, reject) => {
      this.loads.push({ resolve, reject, replace: command.kind === 'load' && command.replace });
      try {
        this.worker ??= this.start();
        this.worker.postMessage(command, transfer);
      } catch (error) {
        this.stop(
          `The simulation could not be started: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    });
  }

  private ask(command: Extract<Command, { kind: 'grab' | 'handle-add' }>): Promise<Grabbed | null> {
    if (!this.worker) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.grabs.set(command.id, [...(this.grabs.get(command.id) ?? []), resolve]);
      this.send(command);
    });
  }

  private send(command: Command): void {
    this.worker?.postMessage(command, []);
  }

  private start(): WorkerLike {
    const worker = this.createWorker();
    this.asked = 0;
    worker.onmessage = ({ data }) => {
      this.receive(data);
    };
    worker.onerror = (event) => {
      this.stop(
        `The simulation failed${event.message ? `: ${event.message}` : ''}. Open the model again to go on.`,
      );
    };
    worker.onmessageerror = () => {
      this.stop('A message of the simulation could not be read. Open the model again to go on.');
    };
    return worker;
  }

  private receive(message: Message): void {
    switch (message.kind) {
      case 'loaded':
        this.join(message);
        break;
      case 'world':
        if (message.answered === this.asked) this.emit('world', message.settings);
        break;
      case 'surroundings':
        this.emit('surroundings', message.surroundings);
        break;
      case 'tool':
        this.emit('tool', message.tool);
        break;
      case 'frame':
        if (!this.newest.has(message.body)) break; // of one that has gone
        this.newest.set(message.body, message.frame);
        this.emit('frame', message);
        break;
      case 'grabbed':
        this.emit('met', { body: message.body });
        this.answerGrab(message.id, message);
        break;
      case 'missed':
        if (message.body !== null) this.emit('met', { body: message.body });
        this.answerGrab(message.id, null);
        break;
      case 'frequencies':
        this.emit('frequencies', message);
        break;
      case 'simulation-mesh':
        this.meshes.shift()?.resolve(message.mesh);
        break;
      case 'failed':
        this.fail(message);
        break;
      case 'lost':
        this.newest.clear();
        this.emit('lost', message);
        break;
      case 'restarted':
        this.emit('restarted', message);
        break;
    }
  }

  private join(loaded: Loaded): void {
    const load = this.loads.shift();
    if (load?.replace) this.newest.clear();
    this.newest.set(loaded.body, null);
    this.emit('loaded', loaded);
    load?.resolve(loaded);
  }

  /** Failures of what has a promise reject it; the others are events. */
  private fail({ command, body, message, inForce = {} }: Extract<Message, { kind: 'failed' }>): void {
    if (command === 'load' || command === 'copy') {
      this.loads.shift()?.reject(new Error(message));
    } else if (command === 'simulation-mesh') {
      this.meshes.shift()?.reject(new Error(message));
    } else {
      this.emit('failed', { command, body, message, inForce });
    }
  }

  private answerGrab(id: number, grabbed: Grabbed | null): void {
    const [first, ...others] = this.grabs.get(id) ?? [];
    if (others.length > 0) this.grabs.set(id, others);
    else this.grabs.delete(id);
    first?.(grabbed);
  }

  /** The worker is lost, and with it all bodies. */
  private stop(message: string): void {
    this.abandon(message);
    this.emit('lost', { message });
  }

  private abandon(message: string): void {
    if (this.worker) {
      this.worker.onmessage = null;
      this.worker.onerror = null;
      this.worker.onmessageerror = null;
      this.worker.terminate();
      this.worker = null;
    }
    this.newest.clear();
    for (const { reject } of [...this.loads.splice(0), ...this.meshes.splice(0)]) reject(new Error(message));
    for (const answer of [...this.grabs.values()].flat()) answer(null);
    this.grabs.clear();
  }

  private emit<K extends keyof ClientEvents>(kind: K, event: ClientEvents[K]): void {
    for (const listener of [...this.listeners[kind]]) listener(event);
  }
}
