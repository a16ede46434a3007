import type { BodyInfo, Method, SubtreeInertia, Surface, UpAxis, Vector3 } from '../../runtime/src/types';
import { BodyScale, farthestApart } from './body_scale';
import { canTouch, type SceneContact } from './contact';
import { errorText } from './error_text';
import { FrameGate } from './frame_gate';
import { type GrabCommand, type HoldCommand, Holding } from './holding';
import { ModePlayer } from './mode_player';
import { type Box, boxOf, minus, movedBox, plus } from './place';
import type {
  BodySettings,
  Command,
  Frame,
  InForce,
  Message,
  ModePlayback,
  Shake,
  WorldSettings,
} from './protocol';
import type { RuntimeBody } from './runtime_body';
import { SafeStepper } from './safe_stepper';
import { lowestFrequency, requireDomain, requireRegion, requireStiffness, requireYoung } from './settings';
import { Shaker } from './shaker';
import { sameNumbers } from './turning';
import { pointOf, uprightOf } from './up';

/** s. Two restarts within this time: the third would follow, so the simulation pauses. */
const restartInterval = 2;

/** A command to one body; those that hold it come by `grab` and `hold`, its settings by `change`. */
export type BodyCommand = Extract<
  Command,
  { kind: 'material' | 'stiffness' | 'mode' | 'drop' | 'simulation-mesh' }
>;

/** Says that a body was put back to rest. */
export type Restart = Extract<Message, { kind: 'restarted' }>;

/** What a body sees of the world that it is in. */
export interface BodyWorld {
  readonly settings: WorldSettings;
  /** Which way is up. */
  readonly up: UpAxis;
  /** Wall-clock seconds, from any origin. */
  clock(): number;
  /** In which its bodies touch. */
  readonly contact: SceneContact;
}

/** What a frame says about the world. */
export type WorldFrame = Pick<Frame, 'time' | 'steps' | 'stepRate' | 'reachedSpeed'>;

/** Who a body is: its number, and m by which it was moved from where it was made. */
export interface BodyIdentity {
  readonly id: number;
  readonly place: Vector3;
}

/** Places at which a body is asked how stiff it is. */
const stiffnessSamples = 24;
/** A held body of more coordinates does not touch: its step in velocities, by a dense matrix, would take too long. */
const mostHeldCoordinates = 300;

/**
 * A body in motion: what pulls at it and how it is run. Places are in the scene. One that nothing holds is there in the runtime, too; one
 * that is held is where it was made, from which its `offset` leads to the scene.
 */
export class SimulatedBody {
  /** At rest, in the scene. */
  readonly box: Box;
  private readonly scale: BodyScale;
  private readonly holding: Holding;
  private readonly shaker: Shaker;
  private readonly stepper: SafeStepper;
  private readonly gate: FrameGate;
  private player: ModePlayer | null = null;
  /** Of the player, as it was last accepted. */
  private playback: ModePlayback | null = null;
  /** Pa, of each region. */
  private readonly young: number[];
  /** m: farthest that loads may have brought the body since it was at rest. */
  private loads = 0;
  private lowest: number;
  private lastRestart = -Infinity;
  /** Whether frames hold positions, not coordinates. */
  private readonly byPositions: boolean;
  private coordinates: Float32Array;
  private pose: readonly number[] = [];
  /** Where the centre of mass rests. */
  private readonly center: Vector3;
  private readonly offset: Vector3;
  /** Whether there is something to touch. */
  private meets = false;
  private readonly vertices: number;

  /** frequencies: of the body, Hz. */
  constructor(
    private readonly body: RuntimeBody,
    private readonly identity: BodyIdentity,
    surface: Surface,
    frequencies: Float64Array,
    private current: BodySettings,
    private readonly world: BodyWorld,
  ) {
    const { info } = body;
    this.lowest = lowestFrequency(frequencies);
    body.setDamping(current.damping);
    body.setGravity(world.settings.gravity);
    this.young = info.regions.map((region) => region.material.young);
    this.box = movedBox(boxOf(surface.positions), identity.place);
    this.scale = new BodyScale(surface.positions, body.reach());
    this.vertices = surface.positions.length / 3;
    this.byPositions = surface.basis.length === 0;
    this.gate = new FrameGate(
      this.byPositions ? { size: this.scale.size, distance: farthestApart } : this.scale,
    );
    this.coordinates = new Float32Array(surface.positions.length);
    this.offset = info.free ? [0, 0, 0] : identity.place;
    this.center = plus(body.momentum.center, identity.place);
    this.goHome();
    this.holding = new Holding(body, this.scale.size);
    this.shaker = new Shaker(body);
    this.stepper = new SafeStepper(body, this.scale);
  }

  get id(): number {
    return this.identity.id;
  }

  get info(): BodyInfo {
    return this.body.info;
  }

  get settings(): BodySettings {
    return this.current;
  }

  /** Whether it shows a vibration, and takes no steps. */
  get playing(): boolean {
    return this.player !== null;
  }

  /** Whether a change waits to be shown. */
  get waiting(): boolean {
    return this.gate.waiting;
  }

  dispose(): void {
    this.world.contact.leave(this.body);
    this.body.dispose();
  }

  /** Something of the world changed that its frames may show. */
  touch(): void {
    this.gate.touch();
  }

  setGravity(gravity: Vector3): void {
    this.body.setGravity(gravity);
  }

  /** Whether it is moved by the world that bodies touch in. */
  get touching(): boolean {
    return this.world.contact.has(this.body);
  }

  /** Whether it could touch now: bodies that show a vibration, are shaken, or stand elsewhere than where they are held do not. */
  get canTouch(): boolean {
    const { info } = this.body;
    const stands = info.free || (this.offset.every((x) => x === 0) && info.rank <= mostHeldCoordinates);
    const { method, inertia } = this.current;
    return stands && canTouch(method, inertia) && !this.player && !this.shaker.active;
  }

  /** Whether there is something that it may meet from now on. */
  setContact(on: boolean): void {
    this.meets = on;
    this.updateContact();
    this.gate.touch();
  }

  /** Enters the world that bodies touch in, or leaves it, as it has to be now. */
  private updateContact(): void {
    const { contact } = this.world;
    const wanted = this.meets && this.canTouch;
    if (wanted === contact.has(this.body)) return;
    if (wanted) contact.enter(this.body);
    else contact.leave(this.body);
    this.stepper.forget();
  }

  /** Before steps that the world takes of it. What is returned goes back there. */
  beginTouching(): () => void {
    this.loads = Math.max(this.loads, this.reachOfLoads());
    return this.stepper.remember();
  }

  /** After them: why it cannot go on from where it is; null: it can. */
  endTouching(): string | null {
    return this.stepper.check({ reach: this.loads });
  }

  /** N/m: with which its surface resists, at the middle of some places; null: nowhere, or without end. */
  typicalStiffness(): number | null {
    const count = this.vertices;
    const found = Array.from({ length: Math.min(count, stiffnessSamples) }, (_, i) =>
      this.body.stiffnessAt(Math.floor((i * count) / stiffnessSamples)),
    ).filter((stiffness) => stiffness > 0 && Number.isFinite(stiffness));
    return found.sort((a, b) => a - b)[Math.floor(found.length / 2)] ?? null;
  }

  /** kg */
  get mass(): number {
    return this.body.momentum.mass;
  }

  /** Lifts it by its height, and lets it go. */
  private drop(): void {
    if (!this.body.info.free) throw new Error('A body that is held cannot be dropped.');
    if (this.player) this.reset();
    this.holding.releaseAll();
    const { q, v, root } = this.body.state;
    const upright = uprightOf(this.world.up);
    const height = this.box.high[upright.up] - this.box.low[upright.up];
    const position = plus(root!.position, pointOf(upright, 0, 0, height));
    const atRest: Vector3 = [0, 0, 0];
    const moved = { ...root!, position, velocity: atRest, angularVelocity: atRest };
    this.body.setState(q, new Float64Array(v.length), moved);
    this.stepper.forget();
  }

  /** Carries out a command; throws where that is not possible, and the body is as before then. */
  handle(command: BodyCommand): Message[] {
    this.gate.touch();
    switch (command.kind) {
      case 'material':
        return this.setYoung(command.region, command.young);
      case 'stiffness':
        this.setStiffness(command.domains, command.factor);
        return [];
      case 'mode':
        this.play(command.playback);
        return [];
      case 'drop':
        this.drop();
        return [];
      case 'simulation-mesh':
        return [{ kind: 'simulation-mesh', mesh: this.body.simulationMesh() }];
    }
  }

  /** What is in force of the values that a command was to change. */
  inForce(command: Command): InForce {
    if (command.kind === 'material') return { young: [...this.young] };
    if (command.kind === 'stiffness') {
      return { stiffness: this.body.info.domains.map((_, domain) => this.body.stiffness(domain)) };
    }
    return command.kind === 'mode' ? { mode: this.playback } : {};
  }

  /**
   * The vertex where a ray meets the body, and how far along it, in lengths of its direction; null: it does not. One that shows a vibration is
   * met where it rests: the runtime knows no other shape of it.
   */
  pick(origin: Vector3, direction: Vector3): { readonly vertex: number; readonly distance: number } | null {
    const pick = this.body.pick(minus(origin, this.offset), direction);
    return pick?.hit ? pick : null;
  }

  /** Holds the vertex that a ray has met, unless the body shows a vibration. */
  grab(command: GrabCommand, vertex: number): Message {
    const { id } = command;
    this.gate.touch();
    const point = this.player ? null : this.holding.grab(command, vertex);
    if (!point) return { kind: 'missed', id, body: this.id };
    return { kind: 'grabbed', id, body: this.id, vertex, point: plus(point, this.offset) };
  }

  /** Whether a pull or a handle of this body has this number. */
  holds(id: number): boolean {
    return this.holding.has(id);
  }

  /** A command about what holds it; throws where it makes no sense, and all is as before then. */
  hold(command: HoldCommand): void {
    this.gate.touch();
    const { offset } = this;
    if (command.kind === 'drag') {
      this.holding.carryOut({ ...command, target: minus(command.target, offset) });
    } else if (command.kind === 'handle-move' && command.position) {
      this.holding.carryOut({ ...command, position: minus(command.position, offset) });
    } else {
      this.holding.carryOut(command);
    }
  }

  /** Takes settings that were checked. */
  change({ damping, rank, method, inertia, shake, ...others }: Partial<BodySettings>): Message[] {
    if (shake && this.player) throw new Error('A mode is playing; stop it to shake the body.');
    this.gate.touch();
    if (damping) this.body.setDamping(damping);
    if (inertia !== undefined && inertia !== this.current.inertia) this.setInertia(inertia);
    if (method !== undefined && method !== this.current.method) this.setMethod(method);
    const newRank = rank !== undefined && rank !== this.current.rank;
    if (newRank) {
      this.body.setRank(rank);
      this.stepper.forget();
    }
    if (shake !== undefined) this.shake(shake);
    this.current = {
      ...this.current,
      ...others,
      ...(damping && { damping }),
      ...(rank !== undefined && { rank }),
      ...(method !== undefined && { method }),
      ...(inertia !== undefined && { inertia }),
    };
    return newRank ? this.refresh() : [];
  }

  /** `seconds` of the wall clock pass for a vibration that is shown. */
  advanceMode(seconds: number): void {
    this.player?.advance(seconds);
  }

  /** Takes `count` steps. Where they fail, the body is put to rest; what is returned then says so. Throws where that fails, too. */
  advance(count: number): Restart | null {
    let lost: string | null;
    try {
      lost = this.attempt(count);
    } catch (error) {
      return this.fail(error);
    }
    return lost === null ? null : this.restart(lost);
  }

  /** Puts the body to rest where it has thrown an error. Throws where nothing can be asked of it any more. */
  fail(error: unknown): Restart {
    return this.restart(`The motion failed (${errorText(error)})`);
  }

  /** Back to where it was made. Hands let go: a spring that held on would fling it from there. */
  reset(): void {
    this.player = this.playback = null;
    this.holding.releaseAll();
    this.body.reset();
    this.shaker.stop(); // of a body at rest: one that has run out of bounds may not be asked
    this.goHome();
    this.current = { ...this.current, shake: null };
    this.holding.toRest();
    this.stepper.forget();
    this.loads = 0;
    this.gate.touch();
    this.updateContact();
  }

  /** From where a body that nothing holds was made to where it stands in the scene. */
  private goHome(): void {
    const { place } = this.identity;
    if (!this.body.info.free || place.every((x) => x === 0)) return;
    const { q, v, root } = this.body.state;
    this.body.setState(q, v, { ...root!, position: plus(root!.position, place) });
  }

  /** The frame to post, null: none is due, or all is as it was. */
  frameDue(now: number, world: () => WorldFrame): Frame | null {
    if (!this.gate.due(now)) return null;
    const length = this.byPositions ? this.coordinates.length : this.body.rank();
    if (this.coordinates.length !== length) this.coordinates = new Float32Array(length);
    const q = this.coordinates;
    if (this.player) this.player.coordinates(q);
    else if (this.byPositions) this.body.positions(q);
    else this.body.coordinates(q);
    const pose = this.currentPose();
    if (!sameNumbers(pose, this.pose)) this.gate.touch();
    this.pose = pose;
    const running = !this.world.settings.paused;
    return this.gate.passes(now, q, running) ? this.frame(q.slice(), world()) : null;
  }

  /** Takes `count` steps. Returns why they cannot be taken, null: they were. */
  private attempt(count: number): string | null {
    let most = count; // single steps after one that had to be taken in parts: others may have to, too
    for (let left = count; left > 0;) {
      const wanted = this.prepare(Math.min(left, most));
      const outcome = this.takeSteps(wanted);
      if ('lost' in outcome) return outcome.lost;
      if (outcome.taken < wanted) most = 1;
      left -= outcome.taken;
    }
    this.updateContact(); // once the support has come to rest; not before, because the world steps its bodies
    return null;
  }

  /** Moves what moves with each step, before `count` of them. Returns how many of them may be taken then. */
  private prepare(count: number): number {
    const { timeStep, speed } = this.world.settings;
    let steps = count;
    if (this.holding.underWay) {
      this.holding.follow(timeStep / speed);
      steps = 1;
    }
    if (!this.shaker.active) return steps;
    return this.shaker.prepare(this.stepper.time, timeStep, steps);
  }

  private takeSteps(count: number) {
    this.loads = Math.max(this.loads, this.reachOfLoads());
    const loads = { reach: this.loads, support: this.shaker.active };
    return this.stepper.advance(this.world.settings.timeStep, count, this.current.accuracy, loads);
  }

  /**
   * m: as far as springs and handles pull, and as gravity lets the slowest vibration hang, g / w^2; so does the acceleration of a
   * support that is shaken.
   */
  private reachOfLoads(): number {
    const { gravity } = this.world.settings;
    const { shake } = this.current;
    const shaken = shake ? Math.hypot(...shake.amplitude) * (shake.frequency / this.lowest) ** 2 : 0;
    return this.holding.reach + Math.hypot(...gravity) / (2 * Math.PI * this.lowest) ** 2 + shaken;
  }

  /** Puts it to rest, and lets it go. */
  restart(reason: string): Restart {
    const now = this.world.clock();
    const paused = now - this.lastRestart < restartInterval;
    this.lastRestart = now;
    this.reset();
    return { kind: 'restarted', body: this.id, reason, paused };
  }

  private setYoung(region: number, young: number): Message[] {
    requireYoung(young);
    requireRegion(region, this.body.info.regions.length);
    this.body.setMaterial(region, { young });
    this.young[region] = young;
    return this.refresh();
  }

  private setStiffness(domains: readonly number[], factor: number): void {
    requireStiffness(factor);
    for (const domain of domains) requireDomain(domain, this.body.info.domains.length);
    for (const domain of domains) this.body.setStiffness(domain, factor);
    this.holding.refresh();
  }

  private setMethod(method: Method): void {
    const { contact } = this.world;
    contact.leave(this.body);
    try {
      this.holding.setMethod(method);
    } catch (error) {
      this.updateContact();
      throw error;
    }
    this.current = { ...this.current, method };
    this.stepper.forget();
    this.shake(null);
    // Linear modes go further than the nonlinear body could follow: it starts from rest. So it does after a mode that plays.
    if (method === 'reduced' && !this.player) this.reset();
    this.updateContact();
  }

  private setInertia(inertia: SubtreeInertia): void {
    if (!canTouch(this.current.method, inertia)) this.world.contact.leave(this.body);
    try {
      this.body.setInertia(inertia);
      this.current = { ...this.current, inertia };
    } finally {
      this.stepper.forget();
      this.updateContact();
    }
  }

  private shake(shake: Shake | null): void {
    if (shake) this.world.contact.leave(this.body); // a support that moves is not for bodies that touch
    this.shaker.change(this.stepper.time, this.world.settings.timeStep, shake);
    this.current = { ...this.current, shake };
  }

  /** After a change of material or rank, on which frequencies, modes and what holds the body depend. */
  private refresh(): Message[] {
    const frequencies = this.body.frequencies();
    this.lowest = lowestFrequency(frequencies);
    const lost = this.holding.refresh();
    if (this.player?.refresh() === false) this.reset();
    const messages: Message[] = [{ kind: 'frequencies', body: this.id, frequencies }];
    if (lost > 0) {
      const message = `There is no room for all handles at this rank: ${lost} ${lost === 1 ? 'was' : 'were'} let go.`;
      messages.push({ kind: 'failed', command: 'settings', body: this.id, message });
    }
    return messages;
  }

  private play(playback: ModePlayback | null): void {
    if (playback === null) {
      if (this.player) this.reset();
      return;
    }
    if (this.byPositions) throw new Error('Vibrations are shown of bodies with one domain.');
    if (this.player) {
      this.player.change(playback);
    } else {
      const player = new ModePlayer(this.body, playback);
      this.reset(); // where the vibration is drawn, and rays are to meet it
      this.player = player;
      this.updateContact();
    }
    this.playback = playback;
  }

  /** Of the frame that q moves a body in, in the scene. Modes play where the body stands at rest. */
  private currentPose(): number[] {
    const { position, rotation } = this.ownPose() ?? { position: [0, 0, 0], rotation: null };
    const stands = this.player ? this.identity.place : this.offset;
    if (!rotation && stands.every((x) => x === 0)) return [];
    return [...plus(position, stands), ...(rotation ?? [0, 0, 0, 1])].map(Math.fround);
  }

  /** The same as the runtime has it; null: where the body was made. */
  private ownPose(): { readonly position: Vector3; readonly rotation: readonly number[] } | null {
    if (this.player || this.byPositions) return null;
    const { root } = this.body;
    const shaken = this.shaker.active ? this.shaker.position(this.stepper.time) : null;
    return root ?? (shaken && { position: shaken, rotation: [0, 0, 0, 1] });
  }

  private shift(): Vector3 | null {
    if (!this.body.info.free) return null;
    return this.player ? [0, 0, 0] : minus(this.body.momentum.center, this.center);
  }

  /** While a mode plays there is no motion of the body, and no energy. */
  private frame(q: Float32Array, world: WorldFrame): Frame {
    const energy = this.player ? { elastic: 0, kinetic: 0 } : this.body.energy;
    const { pulls, handles, handleReport } = this.holding.frame();
    const inScene = <Held extends { readonly point: Vector3; readonly target: Vector3 }>(
      held: Held,
    ): Held => ({
      ...held,
      point: plus(held.point, this.offset),
      target: plus(held.target, this.offset),
    });
    return {
      ...world,
      q,
      pose: this.pose,
      shift: this.shift(),
      elasticEnergy: energy.elastic,
      kineticEnergy: energy.kinetic,
      warped: this.current.method === 'warped',
      pulls: pulls.map(inScene),
      handles: handles.map(inScene),
      handleReport,
      reachedSpeed: this.player ? 0 : world.reachedSpeed,
      playingMode: this.player !== null,
      contacts: this.world.contact.marks(this.body),
    };
  }
}
