import type { Vector3 } from '../../runtime/src/types';
import { type MakeWorld, nothing, type Surroundings } from './contact';
import type { GrabCommand, HoldCommand } from './holding';
import { boxAbout, boxOf, placeAmong, sizeOf } from './place';
import type { Command, Frame, InForce, Message, Settings, WorldSettings } from './protocol';
import type { RuntimeBody } from './runtime_body';
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

/** When to come back: at once (behind the clock), after a few milliseconds, or not before the next command. */
export type Wakeup = 'now' | 'soon' | 'idle';

/** A command to a world; bodies come and go by its functions. */
export type WorldCommand =
  BodyCommand | GrabCommand | HoldCommand | Extract<Command, { kind: 'settings' | 'step' | 'reset' }>;

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

const atFirst: WorldSettings = {
  paused: false,
  speed: 1,
  timeStep: 1e-3,
  gravity: [0, 0, 0],
  ground: true,
  obstacle: false,
};
/** Radius of the ball that lies on the ground, as a share of the size of all bodies together. */
const ballShare = 0.12;

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
  /** What bodies that nothing holds meet. */
  surroundings: Surroundings = nothing;
  private readonly bodies = new Map<number, { readonly body: SimulatedBody; readonly model: SharedModel }>();
  private nextId = 1;
  /** s of the wall clock at the last tick; null: it stood still. */
  private last: number | null = null;
  private time = 0;
  private steps = 0;
  private readonly pace: StepPace;

  /** clock: wall-clock seconds, from any origin. makeWorld: in which a body touches; null: bodies touch nothing. */
  constructor(
    readonly clock: () => number,
    readonly makeWorld: MakeWorld | null = null,
  ) {
    this.pace = new StepPace(clock);
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
    const before = [...this.bodies.keys()];
    const { settings } = this;
    if (replace) this.settings = atFirst;
    try {
      const loaded = this.add({ pristine, uses: 0 }, name, replace ? [] : this.all());
      if (replace) {
        for (const id of before) this.remove(id);
        this.restartClock();
      }
      this.surround();
      return loaded;
    } catch (error) {
      this.settings = settings;
      throw error;
    }
  }

  /** Adds a body of the model that another one has, as that was loaded. */
  copy(of: number, name: string): Message {
    const entry = this.bodies.get(of);
    if (!entry) throw new Error(`${name} was not opened: the body whose model it shares is no longer there.`);
    const loaded = this.add(entry.model, name, this.all());
    this.surround();
    return loaded;
  }

  remove(id: number): void {
    const entry = this.bodies.get(id);
    if (!entry) return;
    this.bodies.delete(id);
    entry.body.dispose();
    if (--entry.model.uses === 0) entry.model.pristine.dispose();
    this.surround();
    if (!this.empty) return;
    this.settings = atFirst; // for the next one
    this.restartClock();
  }

  clear(): void {
    for (const id of [...this.bodies.keys()]) this.remove(id);
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
    const idle = this.settings.paused && !bodies.some((body) => body.waiting);
    if (idle) this.last = null;
    return { messages, wakeup: idle ? 'idle' : behind ? 'now' : 'soon' };
  }

  /** What is about the bodies as they are at rest: told to all. */
  private surround(): void {
    const next = this.makeWorld ? surroundingsOf(this.all(), this.settings) : nothing;
    if (JSON.stringify(next) !== JSON.stringify(this.surroundings)) this.surroundings = next;
    for (const body of this.all()) body.setSurroundings(this.surroundings);
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
      const place = placeAmong(
        boxOf(surface.positions),
        among.map(({ box }) => box),
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
    const restarts = this.all().flatMap((body) => (body.playing ? [] : (body.advance(count) ?? [])));
    this.time += count * this.settings.timeStep;
    this.steps += count;
    this.note(restarts, messages);
    return restarts.length === 0;
  }

  /** Some bodies had to be put to rest. */
  private note(restarts: readonly Restart[], messages: Message[]): void {
    messages.push(...restarts);
    if (restarts.some(({ paused }) => paused)) this.settings = { ...this.settings, paused: true };
  }

  private reset(): void {
    for (const body of this.all()) body.reset();
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
    this.settings = { ...this.settings, ...ofWorld };
    if (ofWorld.ground !== undefined || ofWorld.obstacle !== undefined) this.surround();
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

/** Bodies that are held touch nothing: where all are, there is nothing to meet. */
function surroundingsOf(bodies: readonly SimulatedBody[], { ground, obstacle }: WorldSettings): Surroundings {
  if (!ground || !bodies.some(({ info }) => info.free)) return nothing;
  const all = boxAbout(bodies.map(({ box }) => box));
  const { low, high } = all;
  const radius = ballShare * sizeOf(all);
  const center: Vector3 = [high[0] + 1.2 * radius, (low[1] + high[1]) / 2, low[2] + radius];
  return { ground: low[2], balls: obstacle ? [{ center, radius }] : [] };
}
