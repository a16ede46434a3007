// Random hands at bodies of one scene: what a person may do in the viewer, in any order, and rules for what may come of it.

import type { RigidBody, World } from '../../runtime/src/index';
import type { Method, Vector3 } from '../../runtime/src/types';
import type { RuntimeWorld } from '../src/contact';
import { plus } from '../src/place';
import type { Frame, Message, Settings } from '../src/protocol';
import type { RuntimeBody } from '../src/runtime_body';
import { Simulation, type WorldCommand } from '../src/simulation';

/** s of the wall clock. */
const frameSeconds = 1 / 60;

/** In which a body comes out of the ground that a hand has pressed it into: by half of its size per second. */
const framesToComeOut = 120;

/** Numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Pull {
  readonly id: number;
  readonly body: number;
  readonly from: Vector3;
  readonly way: Vector3;
  readonly frames: number;
  age: number;
}

/** What was seen so far. */
export interface Outcome {
  frames: number;
  steps: number;
  /** Depth of any vertex of a body below the ground, as a share of the size of the largest body, and when that was. */
  deepest: number;
  deepestWhen: string;
  /**
   * The same where a hand pulls the body, or did lately, or it has just got another shape by another rank or method. Springs tens of times
   * stiffer than the body press it into the ground, and it comes out of that gently.
   */
  deepestInHand: number;
  /** Linear bodies that were put to rest: nothing but that keeps them from being pulled to a hundred times their size. */
  linearRestarts: number;
  /** m/s, of the centre of mass of any body. */
  fastest: number;
  /** N */
  largestFelt: number;
  /** Each command, how often. */
  readonly commands: Map<string, number>;
  /** Breaches of a rule: what and when. */
  readonly breaches: string[];
}

/** A scene, and a person who cannot keep still. */
export class RandomHands {
  readonly outcome: Outcome = {
    frames: 0,
    steps: 0,
    deepest: 0,
    deepestWhen: '',
    deepestInHand: 0,
    linearRestarts: 0,
    fastest: 0,
    largestFelt: 0,
    commands: new Map(),
    breaches: [],
  };
  private now = 0;
  private readonly simulation: Simulation;
  private readonly random: () => number;
  private readonly bodies = new Map<
    number,
    { readonly runtime: RuntimeBody; readonly young: readonly number[] }
  >();
  private readonly copies: RuntimeBody[] = [];
  private boxes: readonly RigidBody[] = [];
  private readonly pulls: Pull[] = [];
  /** Frames in which bodies were last pulled, or got another shape. */
  private readonly forced = new Map<number, number>();
  private readonly methods = new Map<number, Method>();
  private nextPull = 1;
  /** m, of the largest body. */
  private size = 0;

  /** makeWorld: a world of the runtime with a body in it. */
  constructor(
    seed: number,
    private readonly makeWorld: (body: RuntimeBody) => World,
  ) {
    this.random = randomNumbers(seed);
    this.simulation = new Simulation(
      () => this.now,
      (body) => this.worldWithBoxes(body),
    );
  }

  /** Adds the body of a model that was just loaded, and some more of the same. */
  load(pristine: RuntimeBody, name: string, count: number): void {
    // The simulation runs copies; they are watched here.
    const watched: RuntimeBody = Object.create(pristine) as RuntimeBody;
    Object.defineProperty(watched, 'copy', {
      value: () => {
        const copy = pristine.copy();
        this.copies.push(copy);
        return copy;
      },
    });
    Object.defineProperty(watched, 'dispose', {
      value: () => {
        pristine.dispose();
      },
    });
    const first = this.simulation.load(watched, name, false) as Extract<Message, { kind: 'loaded' }>;
    this.adopt(first);
    for (let i = 1; i < count; ++i)
      this.adopt(this.simulation.copy(first.body, name) as Extract<Message, { kind: 'loaded' }>);
  }

  /** progress: is told what was seen so far, once in a minute of frames. */
  async run(frames: number, progress?: (outcome: Outcome) => Promise<void>): Promise<Outcome> {
    const minute = 60 / frameSeconds;
    this.set({ gravity: [0, 0, -9.81], tool: true, speed: 1 });
    for (let i = 0; i < frames; ++i) {
      if (i > 0 && i % minute === 0) await progress?.(this.outcome);
      try {
        this.goOn();
        this.act();
        this.frame();
      } catch (error) {
        this.breach(`thrown: ${String(error)}`);
        break;
      }
      if (this.outcome.breaches.length > 20) break;
    }
    return this.outcome;
  }

  dispose(): void {
    this.simulation.clear();
  }

  private adopt({ body, info, surface }: Extract<Message, { kind: 'loaded' }>): void {
    this.bodies.set(body, {
      runtime: this.copies.at(-1)!,
      young: info.regions.map(({ material }) => material.young),
    });
    let size = 0;
    for (const x of surface.positions) size = Math.max(size, 2 * Math.abs(x));
    this.size = Math.max(this.size, size);
  }

  private worldWithBoxes(body: RuntimeBody): RuntimeWorld {
    const world = this.makeWorld(body);
    const half = 0.1 * this.size;
    this.boxes = [0, 1].map((i) =>
      world.addRigid({
        shape: { kind: 'box', half: [half, half, half] },
        position: this.homeOf(i),
        gravity: [0, 0, -9.81],
        density: 500,
      }),
    );
    return world;
  }

  /** Of a box: beside the bodies, one above the other. */
  private homeOf(box: number): Vector3 {
    return [-0.4 * this.size, 0, (0.3 + 0.4 * box) * this.size];
  }

  private between(low: number, high: number): number {
    return low + (high - low) * this.random();
  }

  /** From low to high by ratio. */
  private scaled(low: number, high: number): number {
    return low * (high / low) ** this.random();
  }

  private vector(size: number): Vector3 {
    return [this.between(-size, size), this.between(-size, size), this.between(-size, size)];
  }

  private anyBody(): number {
    const ids = [...this.bodies.keys()];
    return ids[Math.floor(this.random() * ids.length)]!;
  }

  private breach(what: string): void {
    this.outcome.breaches.push(`frame ${this.outcome.frames}: ${what}`);
  }

  private send(command: WorldCommand): readonly Message[] {
    const { commands } = this.outcome;
    const kind =
      command.kind === 'settings' ? `settings ${Object.keys(command.settings).join()}` : command.kind;
    commands.set(kind, (commands.get(kind) ?? 0) + 1);
    const messages = this.simulation.handle(command);
    for (const message of messages) if (message.kind === 'failed') this.breach(`refused: ${message.message}`);
    return messages;
  }

  private howRun(body: number): string {
    const method = this.methods.get(body) ?? 'reduced';
    const step = (1000 * this.simulation.settings.timeStep).toFixed(1);
    const pulled = this.pulls.filter((pull) => pull.body === body).length;
    return `${method}, rank ${this.bodies.get(body)!.runtime.rank()}, steps of ${step} ms, ${pulled} pulls`;
  }

  private set(settings: Partial<Settings>, body = this.anyBody()): void {
    if (settings.method) this.methods.set(body, settings.method);
    if ('rank' in settings || 'method' in settings) this.forced.set(body, this.outcome.frames);
    this.send({ kind: 'settings', body, settings });
  }

  /** Two bodies put to rest in a short time stop the clock: without that no step would follow, and no breach. */
  private goOn(): void {
    if (this.simulation.settings.paused) this.set({ paused: false });
  }

  /** One thing in three frames, on average. */
  private act(): void {
    this.drag();
    if (this.random() > 1 / 3) return;
    const dice = this.random();
    if (dice < 0.3) this.grab();
    else if (dice < 0.55) this.stroke();
    else if (dice < 0.65) this.drop();
    else if (dice < 0.95) this.slide();
    else this.switchOver();
  }

  private grab(): void {
    if (this.pulls.length > 2) return;
    const [x, y, z] = this.place();
    const origin: Vector3 = [x, y, z + 10 * this.size];
    const id = this.nextPull++;
    const strength = this.scaled(0.3, 30);
    for (const message of this.send({ kind: 'grab', id, origin, direction: [0, 0, -1], strength })) {
      if (message.kind !== 'grabbed') continue;
      const frames = Math.ceil(this.between(2, 60)); // short ones throw
      this.pulls.push({
        id,
        body: message.body,
        from: message.point,
        way: this.vector(1.5 * this.size),
        frames,
        age: 0,
      });
    }
  }

  /** The middle of a body. */
  private place(): Vector3 {
    return this.bodies.get(this.anyBody())!.runtime.momentum.center;
  }

  private drag(): void {
    for (const pull of [...this.pulls]) {
      const share = ++pull.age / pull.frames;
      this.forced.set(pull.body, this.outcome.frames);
      const [x, y, z] = pull.way;
      this.send({ kind: 'drag', id: pull.id, target: plus(pull.from, [share * x, share * y, share * z]) });
      if (share < 1) continue;
      this.send({ kind: 'release', id: pull.id });
      this.pulls.splice(this.pulls.indexOf(pull), 1);
    }
  }

  /** The tool ball goes to a body, or through it. */
  private stroke(): void {
    this.send({ kind: 'tool', target: plus(this.place(), this.vector(0.4 * this.size)) });
  }

  private drop(): void {
    const body = this.anyBody();
    if (this.bodies.get(body)!.runtime.info.free) this.send({ kind: 'drop', body });
  }

  private slide(): void {
    const body = this.anyBody();
    const { runtime, young } = this.bodies.get(body)!;
    const { rank, domains } = runtime.info;
    const slides: (() => void)[] = [
      () => {
        const region = Math.floor(this.random() * young.length);
        this.send({ kind: 'material', body, region, young: young[region]! * this.scaled(0.1, 10) });
      },
      () => {
        if (domains.length === 1) this.set({ rank: 1 + Math.floor(this.random() * rank) }, body);
      },
      () => {
        this.set({ damping: { mass: this.between(0, 5), stiffness: this.scaled(1e-5, 1e-2) } }, body);
      },
      () => {
        const down = this.between(2, 15);
        const side = this.random() < 0.3 ? this.between(-3, 3) : 0;
        this.set({ gravity: [side, 0, -down] });
      },
      () => {
        this.set({ timeStep: this.scaled(1e-3, 1 / 60) });
      },
      () => {
        this.set({ accuracy: this.random() < 0.5 ? 'fast' : 'exact' }, body);
      },
    ];
    slides[Math.floor(this.random() * slides.length)]!();
  }

  /** What happens seldom. Without the ground nothing is held up: all goes back to rest before it comes again. */
  private switchOver(): void {
    const body = this.anyBody();
    const dice = this.random();
    if (dice < 0.3) this.set({ obstacle: this.random() < 0.5 });
    else if (dice < 0.5) this.set({ tool: this.random() < 0.8 });
    else if (dice < 0.7) this.send({ kind: 'reset', body });
    else if (dice < 0.8) this.send({ kind: 'reset', body: null });
    else if (dice < 0.9) {
      this.set({ method: this.random() < 0.5 ? 'linear' : 'reduced' }, body);
    } else {
      const before = this.simulation.settings.ground;
      this.set({ ground: !before });
      if (before) return;
      this.send({ kind: 'reset', body: null });
      this.boxes.forEach((box, i) => {
        box.setState({ position: this.homeOf(i), velocity: [0, 0, 0] });
      });
    }
  }

  private frame(): void {
    this.now += frameSeconds;
    ++this.outcome.frames;
    for (const message of this.simulation.tick(this.now).messages) {
      if (message.kind === 'restarted') {
        const { body, reason } = message;
        if (this.methods.get(body) === 'linear') ++this.outcome.linearRestarts;
        else this.breach(`body ${body} was put to rest: ${reason} (${this.howRun(body)})`);
      }
      if (message.kind === 'frame') this.checkFrame(message.body, message.frame);
      if (message.kind === 'tool' && message.tool) {
        const { position, force } = message.tool;
        if (![...position, ...force].every(Number.isFinite)) this.breach('the tool ball is nowhere');
        this.outcome.largestFelt = Math.max(this.outcome.largestFelt, Math.hypot(...force));
      }
    }
    if (this.outcome.frames % 5 === 0) this.checkPlaces();
  }

  private checkFrame(body: number, { q, pose, elasticEnergy, kineticEnergy, steps, pulls }: Frame): void {
    const numbers = [
      ...q,
      ...pose,
      elasticEnergy,
      kineticEnergy,
      ...pulls.flatMap(({ force }) => [...force]),
    ];
    if (!numbers.every(Number.isFinite)) this.breach(`body ${body} is not finite`);
    this.outcome.steps = steps;
  }

  private checkPlaces(): void {
    const { ground } = this.simulation.surroundings;
    for (const [body, { runtime }] of this.bodies) {
      const { center, linear, mass } = runtime.momentum;
      this.outcome.fastest = Math.max(this.outcome.fastest, Math.hypot(...linear) / mass);
      if (ground === null || !runtime.info.free) continue;
      if (!(center[2] > ground - 0.01 * this.size)) this.breach(`body ${body} is below the ground`);
      const positions = runtime.positions(new Float32Array(runtime.surface().positions.length));
      let lowest = Infinity;
      for (let i = 2; i < positions.length; i += 3) lowest = Math.min(lowest, positions[i]!);
      this.noteDepth(body, runtime, (ground - lowest) / this.size);
    }
    for (const box of this.boxes) this.checkBox(box, ground);
  }

  private noteDepth(body: number, runtime: RuntimeBody, depth: number): void {
    const { outcome } = this;
    const { frames } = outcome;
    if (frames - (this.forced.get(body) ?? -Infinity) <= framesToComeOut) {
      outcome.deepestInHand = Math.max(outcome.deepestInHand, depth);
    } else if (depth > outcome.deepest) {
      const { linear, mass } = runtime.momentum;
      const { timeStep } = this.simulation.settings;
      outcome.deepest = depth;
      outcome.deepestWhen =
        `frame ${frames}, body ${body} of rank ${runtime.rank()} at ${(Math.hypot(...linear) / mass).toFixed(1)} m/s, ` +
        `steps of ${(1000 * timeStep).toFixed(1)} ms, ${this.pulls.length} pulls`;
    }
  }

  private checkBox(box: RigidBody, ground: number | null): void {
    let height: number;
    try {
      height = box.state.position[2];
    } catch {
      return; // of a world that is gone
    }
    if (!Number.isFinite(height)) this.breach('a box is nowhere');
    if (ground !== null && height < ground) this.breach('a box fell through the ground');
  }
}
