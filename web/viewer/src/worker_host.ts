import type { MakeWorld, Surroundings } from './contact';
import { errorText } from './error_text';
import type { Command, InForce, Message, WorldSettings } from './protocol';
import type { RuntimeBody } from './runtime_body';
import { Simulation, type WorldCommand } from './simulation';

/** What the host needs of the world: a worker gives it, or a test. */
export interface HostPorts {
  post(message: Message, transfer: Transferable[]): void;
  load(bytes: ArrayBuffer): Promise<RuntimeBody>;
  /** Without it bodies touch nothing. */
  readonly makeWorld?: MakeWorld;
  /** Wall-clock seconds. */
  clock(): number;
  /** Calls back at once, but after the messages that wait; or after a few milliseconds. */
  schedule(callback: () => void, wakeup: 'now' | 'soon'): void;
  /** Gives up: whoever started the worker is to end it. */
  crash(error: unknown): void;
}

/**
 * The worker's side of the protocol: carries out commands in their order, lets time pass for the bodies, and turns whatever goes
 * wrong into messages. Commands wait while a model loads; the bodies at hand move on meanwhile.
 */
export class WorkerHost {
  private readonly simulation: Simulation;
  private readonly waiting: Command[] = [];
  private draining = false;
  private scheduled = false;
  /** What the page knows of the world's settings. */
  private told: WorldSettings;
  private toldAbout: Surroundings;
  /** Commands about settings that were dealt with. */
  private answered = 0;

  constructor(private readonly ports: HostPorts) {
    this.simulation = new Simulation(() => ports.clock(), ports.makeWorld ?? null);
    this.told = this.simulation.settings;
    this.toldAbout = this.simulation.surroundings;
  }

  receive(command: Command): void {
    this.waiting.push(command);
    this.drain().catch((error: unknown) => {
      // Not even the failure could be told: someone would wait for an answer for ever.
      this.ports.crash(error);
    });
  }

  private async drain(): Promise<void> {
    if (this.draining) return;
    this.draining = true;
    try {
      for (let command = this.waiting.shift(); command; command = this.waiting.shift()) {
        try {
          if (command.kind === 'load') await this.load(command);
          else this.carryOut(command);
        } catch (error) {
          this.fail(command, error);
        }
        if (command.kind === 'settings') ++this.answered;
        this.tellWorld(command.kind === 'settings');
      }
    } finally {
      this.draining = false;
    }
    this.wake();
  }

  private async load({ bytes, name, replace }: Extract<Command, { kind: 'load' }>): Promise<void> {
    if (this.waiting.some((later) => later.kind === 'load' && later.replace)) {
      throw new Error(`${name} was not opened, because another model was chosen.`);
    }
    const pristine = await this.ports.load(bytes);
    try {
      this.join(this.simulation.load(pristine, name, replace));
    } catch (error) {
      pristine.dispose();
      throw error;
    }
  }

  private carryOut(command: Exclude<Command, { kind: 'load' }>): void {
    if (command.kind === 'copy') this.join(this.simulation.copy(command.body, command.name));
    else if (command.kind === 'remove') this.simulation.remove(command.body);
    else if (command.kind === 'unload') this.simulation.clear();
    else {
      for (const message of this.simulation.handle(command satisfies WorldCommand)) this.post(message);
    }
  }

  /** The world that a body has joined is told first: the page never shows the body in the one before. */
  private join(loaded: Message): void {
    this.tellWorld(false);
    this.post(loaded);
  }

  /** asked: also where all is as it was. */
  private tellWorld(asked: boolean): void {
    const { settings, surroundings } = this.simulation;
    if (surroundings !== this.toldAbout) this.post({ kind: 'surroundings', surroundings });
    this.toldAbout = surroundings;
    if (settings === this.told && !asked) return;
    this.told = settings;
    this.post({ kind: 'world', settings, answered: this.answered });
  }

  /** Makes sure that a tick is to come. */
  private wake(): void {
    if (!this.simulation.empty && !this.scheduled) this.schedule('now');
  }

  private schedule(wakeup: 'now' | 'soon'): void {
    this.scheduled = true;
    this.ports.schedule(() => {
      this.tick();
    }, wakeup);
  }

  private tick(): void {
    this.scheduled = false;
    if (this.simulation.empty) return;
    try {
      const { messages, wakeup } = this.simulation.tick(this.ports.clock());
      messages.forEach((message) => {
        this.post(message);
      });
      this.tellWorld(false);
      if (wakeup !== 'idle') this.schedule(wakeup);
    } catch (error) {
      // The simulation puts bodies that fail back to rest. What comes here is one that cannot even do that, such as one of a
      // WebAssembly module that has failed, and with it all of them; the runtime makes a new module for the next model.
      this.simulation.clear();
      this.post({ kind: 'lost', message: `The simulation stopped: ${errorText(error)}` });
      this.tellWorld(false);
    }
  }

  private fail(command: Command, error: unknown): void {
    const body = 'body' in command ? command.body : null;
    const inForce = this.inForce(command);
    this.post({ kind: 'failed', command: command.kind, body, message: errorText(error), inForce });
    if (asksForPoint(command)) this.post({ kind: 'missed', id: command.id, body: null });
  }

  /** Nothing where the body cannot be asked any more: the next tick deals with that. */
  private inForce(command: Command): InForce {
    try {
      return this.simulation.inForce(command);
    } catch {
      return {};
    }
  }

  private post(message: Message): void {
    this.ports.post(message, transferables(message));
  }
}

/** Whether someone waits for where a body was met. */
function asksForPoint(command: Command): command is Extract<Command, { kind: 'grab' | 'handle-add' }> {
  return command.kind === 'grab' || command.kind === 'handle-add';
}

/** The buffers of large arrays, which go to the page without being copied. */
function transferables(message: Message): Transferable[] {
  const buffers = Object.values(largeArrays(message))
    .filter((value) => ArrayBuffer.isView(value))
    .map((array) => array.buffer);
  return [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer);
}

function largeArrays(message: Message): object {
  if (message.kind === 'frame') return [message.frame.q];
  if (message.kind === 'loaded') return message.surface;
  return message.kind === 'simulation-mesh' ? (message.mesh ?? {}) : {};
}
