import type { UpAxis, Vector3 } from '../../runtime/src/types';
import { type MakeWorld, nothing, SceneContact, type Surroundings } from './contact';
import type { GrabCommand, HoldCommand } from './holding';
import { errorText } from './error_text';
import { boxAbout, boxOf, placeAmong, sizeOf } from './place';
import type { Command, Frame, InForce, Message, Settings, WorldSettings } from './protocol';
import type { RuntimeBody } from './runtime_body';
import { parts, unsolved } from './safe_stepper';
import {
  checkSettings,
  defaultSettings,
  longestTreeStep,
  namedSettings,
  requireVector,
  splitSettings,
} from './settings';
import { type BodyCommand, type BodyWorld, type Restart, SimulatedBody } from './simulated_body';
import { longestPause, StepPace } from './step_pace';
import { Tool, type ToolSetup } from './tool';
import { pointOf, uprightOf } from './up';

/** When to come back: at once (behind the clock), after a few milliseconds, or not before the next command. */
export type Wakeup = 'now' | 'soon' | 'idle';

/** A command to a world; bodies come and go by its functions. */
export type WorldCommand =
  | BodyCommand
  | GrabCommand
  | HoldCommand
  | Extract<Command, { kind: 'settings' | 'step' | 'reset' | 'tool' }>;

export interface Tick {
  readonly messages: readonly Message[];
  readonly wakeup: Wakeup;
}

/** A model that bodies share. */
interface SharedModel {
  /** As it was loaded: bodies are its copies. */
  readonly pristine: RuntimeBody;
  uses: number;
}

/** A body of the scene. */
interface Entry {
  readonly body: SimulatedBody;
  readonly model: SharedModel;
}

const atFirst: WorldSettings = {
  paused: false,
  speed: 1,
  timeStep: 1e-3,
  gravity: [0, 0, 0],
  ground: true,
  obstacle: false,
  tool: false,
};
/** Radius of the ball that lies on the ground, as a share of the size of all bodies together. */
const ballShare = 0.12;
/** Radius of the ball in a person's hand, likewise. */
const toolShare = 0.05;

/**
 * Bodies in motion, and their clock. It knows neither timers nor messages' ways: commands go in by `handle`, time by `tick`, and both
 * return what to tell the page.
 *
 * The time step is fixed, the same for all bodies, and decoupled from drawing. Each tick takes the whole steps that have become due by
 * the wall clock times the speed, one body after the other, for some milliseconds at most. What is still due then is dropped: a
 * machine that is too slow shows slow motion, as `reachedSpeed` says, and never falls further and further behind.
 */
export class Simulation implements BodyWorld {
  settings: WorldSettings = atFirst;
  /** Which way is up: as the first body stands. */
  up: UpAxis = 'z';
  /** What bodies meet beside each other. */
  surroundings: Surroundings = nothing;
  readonly contact: SceneContact;
  private readonly bodies = new Map<number, Entry>();
  private nextId = 1;
  /** s of the wall clock at the last tick; null: it stood still. */
  private last: number | null = null;
  private time = 0;
  private steps = 0;
  private readonly pace: StepPace;
  private tool: Tool | null = null;
  /** As it was last told. */
  private toldTool = 'null';

  /** clock: wall-clock seconds, from any origin. makeWorld: in which bodies touch; null: they touch nothing. */
  constructor(
    readonly clock: () => number,
    makeWorld: MakeWorld | null = null,
  ) {
    this.pace = new StepPace(clock);
    this.contact = new SceneContact(makeWorld);
  }

  get count(): number {
    return this.bodies.size;
  }

  get empty(): boolean {
    return this.bodies.size === 0;
  }

  /**
   * Adds the body of a model that was just loaded; replace: in place of all others. Where it throws, all is as before and the model is the
   * caller's.
   */
  load(pristine: RuntimeBody, name: string, replace: boolean): Message {
    const before = [...this.bodies];
    const loaded = this.join({ pristine, uses: 0 }, name, replace);
    if (replace) {
      for (const [, entry] of before) {
        try {
          release(entry);
        } catch {
          // It is gone all the same.
        }
      }
      this.restartClock();
    }
    return loaded;
  }

  /** Adds a body of the model that another one has, as that was loaded. */
  copy(of: number, name: string): Message {
    const entry = this.bodies.get(of);
    if (!entry) throw new Error(`${name} was not opened: the body whose model it shares is no longer there.`);
    return this.join(entry.model, name, false);
  }

  /** Adds a body, alone: those before it are no longer there then, and the caller's. Where it throws, all is as before. */
  private join(model: SharedModel, name: string, alone: boolean): Message {
    const before = [...this.bodies];
    const { settings, up } = this;
    if (alone) this.settings = atFirst;
    try {
      const loaded = this.add(model, name, alone ? [] : this.all());
      if (alone) for (const [id] of before) this.bodies.delete(id);
      this.surround();
      return loaded;
    } catch (error) {
      this.settings = settings;
      this.up = up;
      const known = new Set(before.map(([id]) => id));
      const added = [...this.bodies].filter(([id]) => !known.has(id));
      this.bodies.clear();
      for (const [id, entry] of before) this.bodies.set(id, entry);
      for (const [, { body }] of added) {
        --model.uses;
        body.dispose();
      }
      if (added.length > 0) this.surroundAgain();
      throw error;
    }
  }

  remove(id: number): void {
    const entry = this.bodies.get(id);
    if (!entry) return;
    this.bodies.delete(id);
    if (this.empty) this.dropTool();
    release(entry);
    this.surround();
    if (!this.empty) return;
    this.settings = atFirst; // for the next one
    this.restartClock();
  }

  /** Takes all bodies away, also those that answer nothing any more. */
  clear(): void {
    for (const id of [...this.bodies.keys()]) {
      try {
        this.remove(id);
      } catch {
        // It is gone, and so are the others soon.
      }
    }
    this.tool = null;
    this.contact.dispose();
    this.contact.setSurroundings((this.surroundings = nothing));
    this.settings = atFirst;
    this.restartClock();
  }

  /** Carries out a command; throws where that is not possible, and the bodies are as before then. Those that have gone are not missed. */
  handle(command: WorldCommand): Message[] {
    switch (command.kind) {
      case 'settings':
        return this.change(command.body, command.settings);
      case 'step':
        return this.singleStep();
      case 'reset':
        if (command.body === null) this.reset();
        else this.find(command.body)?.reset();
        return [];
      case 'tool':
        requireVector(command.target, 'The place of the tool');
        this.tool?.move(command.target);
        return [];
      case 'grab':
      case 'handle-add':
        return [this.grab(command)];
      case 'strength':
        for (const body of this.all()) body.hold(command);
        return [];
      case 'drag':
      case 'release':
      case 'handle-move':
      case 'handle-change':
        this.all()
          .find((body) => body.holds(command.id))
          ?.hold(command);
        return [];
      case 'handle-remove':
      case 'handle-priority':
        this.find(command.body)?.hold(command);
        return [];
      case 'simulation-mesh':
        return this.find(command.body)?.handle(command) ?? [{ kind: 'simulation-mesh', mesh: null }];
      default:
        return this.find(command.body)?.handle(command) ?? [];
    }
  }

  /** What is in force of the values that a command was to change. */
  inForce(command: Command): InForce {
    const body = 'body' in command && command.body !== null ? this.find(command.body) : undefined;
    if (!body) return {};
    if (command.kind !== 'settings') return body.inForce(command);
    return { settings: namedSettings(this.settingsOf(body), command.settings) };
  }

  /** The wall clock says `now`, s: takes the steps that are due. */
  tick(now: number): Tick {
    const messages: Message[] = [];
    const elapsed = this.last === null ? 0 : Math.max(now - this.last, 0);
    this.last = now;
    const bodies = this.all();
    let behind = false;
    if (!this.settings.paused) {
      for (const body of bodies) body.advanceMode(Math.min(elapsed, longestPause));
      if (bodies.some((body) => !body.playing)) {
        behind = this.pace.run(elapsed, this.settings, (count) => this.advance(count, messages));
      }
    }
    for (const body of bodies) {
      const frame = this.frameDue(body, now, messages);
      if (frame) messages.push({ kind: 'frame', body: body.id, frame });
    }
    this.tellTool(messages);
    const idle = this.settings.paused && !bodies.some((body) => body.waiting);
    if (idle) this.last = null;
    return { messages, wakeup: idle ? 'idle' : behind ? 'now' : 'soon' };
  }

  /** What is about the bodies as they are at rest, and who of them may touch: told to all. */
  private surround(): void {
    const next = this.contact.possible ? surroundingsOf(this.all(), this.settings, this.up) : nothing;
    if (JSON.stringify(next) !== JSON.stringify(this.surroundings)) this.surroundings = next;
    this.contact.setSurroundings(this.surroundings);
    if (!this.settings.tool) this.dropTool();
    for (const body of this.all()) body.setContact(this.meetsSomething(body));
    if (this.settings.tool && !this.empty && this.contact.possible) this.tool ??= new Tool(this.toolSetup());
  }

  /** After a change that was taken back: what else fails is not what the change failed for. */
  private surroundAgain(): void {
    try {
      this.surround();
    } catch {
      // The next step says so.
    }
  }

  /** Bodies meet each other, and what is about them; the ground is for those that nothing holds. */
  private meetsSomething(body: SimulatedBody): boolean {
    if (this.settings.tool || this.all().length > 1) return true;
    return body.info.free && this.surroundings.ground !== null;
  }

  private dropTool(): void {
    this.tool?.leave(this.contact.current);
    this.tool = null;
  }

  /**
   * A ball above the middle of all bodies. It weighs a tenth of the lightest one, and its spring is as stiff as the softest one is, or as
   * lifts the heaviest one by a twentieth of the size of all.
   */
  private toolSetup(): ToolSetup {
    const bodies = this.all();
    const all = boxAbout(bodies.map(({ box }) => box));
    const size = sizeOf(all);
    const radius = toolShare * size;
    const { low, high } = all;
    const upright = uprightOf(this.up);
    const middle = ([0, 1, 2] as const).map((axis) => (low[axis] + high[axis]) / 2);
    const masses = bodies.map(({ mass }) => mass);
    const softest = Math.min(...bodies.flatMap((body) => body.typicalStiffness() ?? []));
    const lifting = (20 * 9.81 * Math.max(...masses)) / size;
    return {
      start: pointOf(upright, middle[upright.side]!, middle[upright.depth]!, high[upright.up] + 1.5 * radius),
      radius,
      mass: 0.1 * Math.min(...masses),
      stiffness: Number.isFinite(softest) ? Math.max(softest, lifting) : lifting,
    };
  }

  /** Where the ball in the hand is, where that is new. */
  private tellTool(messages: Message[]): void {
    this.tool?.enter(this.contact.current);
    const tool = this.tool?.state ?? null;
    const text = JSON.stringify(tool);
    if (text === this.toldTool) return;
    this.toldTool = text;
    messages.push({ kind: 'tool', tool });
  }

  private all(): SimulatedBody[] {
    return [...this.bodies.values()].map(({ body }) => body);
  }

  private find(id: number): SimulatedBody | undefined {
    return this.bodies.get(id)?.body;
  }

  private settingsOf(body: SimulatedBody): Settings {
    return { ...this.settings, ...body.settings };
  }

  /** A body that cannot say how it is goes back to rest. Throws where it cannot then either. */
  private frameDue(body: SimulatedBody, now: number, messages: Message[]): Frame | null {
    const due = (): Frame | null => body.frameDue(now, () => this.frame());
    try {
      return due();
    } catch (error) {
      this.note([body.fail(error)], messages);
      return due();
    }
  }

  private frame() {
    const { stepRate, speed } = this.pace;
    const reachedSpeed = this.settings.paused ? 0 : speed;
    return { time: this.time, steps: this.steps, stepRate, reachedSpeed };
  }

  /** among: those that it stands beside. */
  private add(model: SharedModel, name: string, among: readonly SimulatedBody[]): Message {
    const runtime = model.pristine.copy();
    try {
      const surface = runtime.surface();
      const frequencies = runtime.frequencies();
      const { info } = runtime;
      const longest = info.domains.length > 1 ? longestTreeStep : undefined;
      const world = among.length > 0 ? this.settings : null;
      const settings = defaultSettings(info.rank, frequencies, longest, world);
      const { ofWorld, ofBody } = splitSettings(settings);
      if (among.length === 0) this.up = info.up;
      const place = placeAmong(
        boxOf(surface.positions),
        among.map(({ box }) => box),
        uprightOf(this.up),
      );
      const id = this.nextId++;
      const body = new SimulatedBody(runtime, { id, place }, surface, frequencies, ofBody, this);
      this.settings = ofWorld;
      this.bodies.set(id, { body, model });
      ++model.uses;
      return { kind: 'loaded', body: id, name, info, surface, place, settings: ofBody, frequencies };
    } catch (error) {
      runtime.dispose();
      throw error;
    }
  }

  private restartClock(): void {
    this.time = 0;
    this.steps = 0;
    this.last = null;
    this.pace.clear();
    this.pace.clearSpeed();
  }

  /** Takes `count` steps of all bodies. False: not to go on for now. */
  private advance(count: number, messages: Message[]): boolean {
    const alone = this.all().filter((body) => !body.playing && !body.touching);
    const restarts = this.advanceTouching(count);
    restarts.push(...alone.flatMap((body) => body.advance(count) ?? []));
    this.time += count * this.settings.timeStep;
    this.steps += count;
    this.note(restarts, messages);
    return restarts.length === 0;
  }

  /**
   * The same of those that touch, all together. Where a step fails, it is taken again in small parts; where that fails, too, all of them are
   * put to rest. One that has run out of bounds is put to rest alone.
   */
  private advanceTouching(count: number): Restart[] {
    const { timeStep } = this.settings;
    this.tool?.enter(this.contact.current);
    for (let left = count; left > 0;) {
      const bodies = this.all().filter((body) => body.touching);
      if (bodies.length === 0) return [];
      const wanted = this.tool?.underWay ? 1 : left;
      const goBack = [
        ...bodies.map((body) => body.beginTouching()),
        this.contact.remember(),
        this.tool?.remember() ?? (() => undefined),
      ];
      if (this.attempt(bodies, timeStep, wanted) === null) {
        left -= wanted;
        continue;
      }
      try {
        for (const undo of goBack) undo();
      } catch (error) {
        return bodies.map((body) => body.fail(error));
      }
      const lost = this.attempt(bodies, timeStep / parts, parts);
      if (lost) return [...lost].map(([body, reason]) => body.restart(reason));
      --left;
    }
    return [];
  }

  /** Those that cannot go on, and why; null: all can. */
  private attempt(
    bodies: readonly SimulatedBody[],
    h: number,
    count: number,
  ): Map<SimulatedBody, string> | null {
    try {
      const batch = this.tool?.underWay ? 1 : count; // the hand moves with each step
      for (let left = count; left > 0; left -= batch) {
        this.tool?.prepare(h, h / this.settings.speed);
        this.contact.step(h, batch);
      }
    } catch (error) {
      const reason = `${unsolved} (${errorText(error)})`;
      return new Map(bodies.map((body) => [body, reason]));
    }
    const lost = new Map<SimulatedBody, string>();
    for (const body of bodies) {
      const reason = body.endTouching();
      if (reason !== null) lost.set(body, reason);
    }
    return lost.size > 0 ? lost : null;
  }

  /** Some bodies had to be put to rest. */
  private note(restarts: readonly Restart[], messages: Message[]): void {
    messages.push(...restarts);
    if (restarts.some(({ paused }) => paused)) this.settings = { ...this.settings, paused: true };
  }

  private reset(): void {
    for (const body of this.all()) body.reset();
    if (this.tool) {
      this.dropTool();
      this.surround();
    }
    this.time = 0;
    this.pace.clear();
  }

  private singleStep(): Message[] {
    const bodies = this.all();
    if (bodies.length > 0 && bodies.every((body) => body.playing)) {
      throw new Error('A mode is playing; stop it to take steps.');
    }
    const messages: Message[] = [];
    this.advance(1, messages);
    for (const body of bodies) body.touch();
    return messages;
  }

  private change(id: number, change: Partial<Settings>): Message[] {
    const body = this.find(id);
    if (!body) return [];
    const { accepted, problems } = checkSettings(change, body.info);
    const { ofWorld, ofBody } = splitSettings(accepted);
    const messages = body.change(ofBody);
    const before = this.settings;
    this.settings = { ...this.settings, ...ofWorld };
    const about = [ofWorld.ground, ofWorld.obstacle, ofWorld.tool];
    if (about.some((value) => value !== undefined)) {
      try {
        this.surround();
      } catch (error) {
        this.settings = before;
        this.surroundAgain();
        throw error;
      }
    }
    if (ofWorld.paused !== undefined || ofWorld.speed !== undefined) this.pace.clearSpeed();
    for (const other of this.all()) {
      if (ofWorld.gravity) other.setGravity(ofWorld.gravity);
      if (Object.keys(ofWorld).length > 0) other.touch();
    }
    if (problems.length > 0) {
      const inForce = { settings: namedSettings(this.settingsOf(body), change) };
      const message = `${problems.join('. ')}.`;
      messages.push({ kind: 'failed', command: 'settings', body: id, message, inForce });
    }
    return messages;
  }

  /** Holds the body that the ray meets first. */
  private grab(command: GrabCommand): Message {
    const { id, origin, direction } = command;
    requireVector(origin, 'The origin of the ray');
    requireVector(direction, 'The direction of the ray');
    const nearest = this.nearest(origin, direction);
    return nearest ? nearest.body.grab(command, nearest.vertex) : { kind: 'missed', id, body: null };
  }

  private nearest(origin: Vector3, direction: Vector3) {
    const met = this.all().flatMap((body) => {
      const pick = body.pick(origin, direction);
      return pick ? [{ body, ...pick }] : [];
    });
    return met.reduce<(typeof met)[number] | null>(
      (best, one) => (best && best.distance <= one.distance ? best : one),
      null,
    );
  }
}

/** Frees a body that is no longer in the scene, and its model where that was the last one. */
function release({ body, model }: Entry): void {
  try {
    body.dispose();
  } finally {
    if (--model.uses === 0) model.pristine.dispose();
  }
}

/** The ground is for bodies that nothing holds: where all are held, there is none. */
function surroundingsOf(
  bodies: readonly SimulatedBody[],
  { ground, obstacle }: WorldSettings,
  up: UpAxis,
): Surroundings {
  if (!ground || !bodies.some(({ info }) => info.free)) return nothing;
  const all = boxAbout(bodies.map(({ box }) => box));
  const { low, high } = all;
  const radius = ballShare * sizeOf(all);
  const upright = uprightOf(up);
  const center = pointOf(
    upright,
    high[upright.side] + 1.2 * radius,
    (low[upright.depth] + high[upright.depth]) / 2,
    low[upright.up] + radius,
  );
  return { up, ground: low[upright.up], balls: obstacle ? [{ center, radius }] : [] };
}
