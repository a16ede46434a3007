import type { Method, Surface, Vector3 } from '../../runtime/src/types';
import { BodyScale, farthestApart } from './body_scale';
import { FrameGate } from './frame_gate';
import { type HoldCommand, Holding } from './holding';
import { ModePlayer } from './mode_player';
import type { Command, Frame, InForce, Message, ModePlayback, Settings, Shake } from './protocol';
import { SafeStepper } from './safe_stepper';
import { Shaker } from './shaker';
import {
  checkSettings,
  defaultSettings,
  longestTreeStep,
  lowestFrequency,
  namedSettings,
  requireDomain,
  requireRegion,
  requireStiffness,
  requireYoung,
} from './settings';
import type { SimulatedBody } from './simulated_body';
import { longestPause, StepPace } from './step_pace';
import { sameNumbers } from './turning';

/** s. Two restarts within this time: the third would follow, so the simulation pauses. */
const restartInterval = 2;
const remedy = 'A smaller time step, more damping or weaker loads help.';

/** When to come back: at once (behind the clock), after a few milliseconds, or not before the next command. */
export type Wakeup = 'now' | 'soon' | 'idle';

/** A command to a body that is there. */
export type BodyCommand = Exclude<Command, { kind: 'load' | 'unload' }>;

export interface Tick {
  readonly messages: readonly Message[];
  readonly wakeup: Wakeup;
}

/**
 * A body in motion: its clock, what pulls at it and how it is run. It knows neither timers nor messages' ways: commands go in
 * by `handle`, time by `tick`, and both return what to tell the page.
 *
 * The time step is fixed and decoupled from drawing. Each tick takes the whole steps that have become due by the wall clock
 * times the speed, for some milliseconds at most. What is still due then is dropped: a machine that is too slow shows slow
 * motion, as `reachedSpeed` says, and never falls further and further behind.
 */
export class Simulation {
  private current: Settings;
  private readonly scale: BodyScale;
  private readonly holding: Holding;
  private readonly shaker: Shaker;
  private readonly stepper: SafeStepper;
  private player: ModePlayer | null = null;
  /** Of the player, as it was last accepted. */
  private playback: ModePlayback | null = null;
  /** Pa, of each region. */
  private readonly young: number[];

  /** s of the wall clock at the last tick; null: it stood still. */
  private last: number | null = null;
  private time = 0;
  private steps = 0;
  private readonly pace: StepPace;
  /** m: farthest that loads may have brought the body since it was at rest. */
  private loads = 0;
  private lowest: number;
  private lastRestart = -Infinity;

  private readonly gate: FrameGate;
  /** Whether frames hold positions, not coordinates. */
  private readonly byPositions: boolean;
  private coordinates: Float32Array;
  private pose: readonly number[] = [];
  /** Where the centre of mass rests. */
  private readonly center: Vector3;

  /** clock: wall-clock seconds, from any origin. */
  constructor(
    private readonly body: SimulatedBody,
    surface: Surface,
    private readonly clock: () => number,
  ) {
    const frequencies = body.frequencies();
    this.lowest = lowestFrequency(frequencies);
    const { info } = body;
    this.current = defaultSettings(
      info.rank,
      frequencies,
      info.domains.length > 1 ? longestTreeStep : undefined,
    );
    body.setDamping(this.current.damping);
    body.setGravity(this.current.gravity);
    this.young = info.regions.map((region) => region.material.young);
    this.scale = new BodyScale(surface.positions, body.reach());
    this.byPositions = surface.basis.length === 0;
    this.gate = new FrameGate(
      this.byPositions ? { size: this.scale.size, distance: farthestApart } : this.scale,
    );
    this.coordinates = new Float32Array(surface.positions.length);
    this.center = body.momentum.center;
    this.holding = new Holding(body, this.scale.size);
    this.shaker = new Shaker(body);
    this.pace = new StepPace(clock);
    this.stepper = new SafeStepper(body, this.scale);
  }

  get settings(): Settings {
    return this.current;
  }

  dispose(): void {
    this.body.dispose();
  }

  /** Carries out a command; throws where that is not possible, and the body is as before then. */
  handle(command: BodyCommand): Message[] {
    this.gate.touch();
    switch (command.kind) {
      case 'settings':
        return this.change(command.settings);
      case 'material':
        return this.setYoung(command.region, command.young);
      case 'stiffness':
        this.setStiffness(command.domains, command.factor);
        return [];
      case 'step':
        return this.singleStep();
      case 'reset':
        this.reset();
        return [];
      case 'mode':
        this.play(command.playback);
        return [];
      case 'simulation-mesh':
        return [{ kind: 'simulation-mesh', mesh: this.body.simulationMesh() }];
      default:
        return this.holding.carryOut(command satisfies HoldCommand, this.player !== null);
    }
  }

  /** What is in force of the values that a command was to change. */
  inForce(command: Command): InForce {
    if (command.kind === 'settings') return { settings: namedSettings(this.current, command.settings) };
    if (command.kind === 'material') return { young: [...this.young] };
    if (command.kind === 'stiffness') {
      return { stiffness: this.body.info.domains.map((_, domain) => this.body.stiffness(domain)) };
    }
    return command.kind === 'mode' ? { mode: this.playback } : {};
  }

  /** The wall clock says `now`, s: takes the steps that are due. */
  tick(now: number): Tick {
    const messages: Message[] = [];
    const elapsed = this.last === null ? 0 : Math.max(now - this.last, 0);
    this.last = now;
    let behind = false;
    if (!this.current.paused) {
      if (this.player) this.player.advance(Math.min(elapsed, longestPause));
      else behind = this.pace.run(elapsed, this.current, (count) => this.advance(count, messages));
    }
    const frame = this.frameDue(now);
    if (frame) messages.push({ kind: 'frame', frame });
    const idle = this.current.paused && !this.gate.waiting;
    if (idle) this.last = null;
    return { messages, wakeup: idle ? 'idle' : behind ? 'now' : 'soon' };
  }

  /** Returns the steps taken: `count`; fewer where they failed. */
  private advance(count: number, messages: Message[]): number {
    let taken = 0;
    while (taken < count) {
      const wanted = this.prepare(count - taken);
      const got = this.takeSteps(wanted, messages);
      taken += got;
      if (got < wanted) break;
    }
    return taken;
  }

  /** Moves what moves with each step, before `count` of them. Returns how many of them may be taken then. */
  private prepare(count: number): number {
    const { timeStep, speed } = this.current;
    let steps = count;
    if (this.holding.underWay) {
      this.holding.follow(timeStep / speed);
      steps = 1;
    }
    return this.shaker.active ? this.shaker.prepare(this.stepper.time, timeStep, steps) : steps;
  }

  private takeSteps(count: number, messages: Message[]): number {
    const { timeStep, accuracy } = this.current;
    this.loads = Math.max(this.loads, this.reachOfLoads());
    const loads = { reach: this.loads, support: this.shaker.active };
    const outcome = this.stepper.advance(timeStep, count, accuracy, loads);
    if ('lost' in outcome) {
      messages.push(this.restart(outcome.lost));
      return 0;
    }
    this.time += outcome.taken * timeStep;
    this.steps += outcome.taken;
    return outcome.taken;
  }

  /**
   * m: as far as springs and handles pull, and as gravity lets the slowest vibration hang, g / w^2; so does the acceleration of a
   * support that is shaken.
   */
  private reachOfLoads(): number {
    const { gravity, shake } = this.current;
    const shaken = shake ? Math.hypot(...shake.amplitude) * (shake.frequency / this.lowest) ** 2 : 0;
    return this.holding.reach + Math.hypot(...gravity) / (2 * Math.PI * this.lowest) ** 2 + shaken;
  }

  private restart(reason: string): Message {
    const now = this.clock();
    const paused = now - this.lastRestart < restartInterval;
    this.lastRestart = now;
    if (paused) this.current = { ...this.current, paused };
    this.holding.releaseAll();
    this.reset();
    const what = `${reason}: the body was put back to rest${paused ? ' and paused' : ''}.`;
    return { kind: 'restarted', message: `${what} ${remedy}`, paused };
  }

  private reset(): void {
    this.player = this.playback = null;
    this.body.reset();
    this.shaker.stop(); // of a body at rest: one that has run out of bounds may not be asked
    this.current = { ...this.current, shake: null };
    this.holding.toRest();
    this.stepper.forget();
    this.time = 0;
    this.pace.clear();
    this.loads = 0;
    this.gate.touch();
  }

  private singleStep(): Message[] {
    if (this.player) throw new Error('A mode is playing; stop it to take steps.');
    const messages: Message[] = [];
    this.advance(1, messages);
    return messages;
  }

  private change(change: Partial<Settings>): Message[] {
    const { accepted, problems } = checkSettings(change, this.body.info);
    const messages: Message[] = [];
    const { damping, gravity, method, rank, inertia, shake, ...others } = accepted;
    if (shake && this.player) throw new Error('A mode is playing; stop it to shake the body.');
    if (damping) this.body.setDamping(damping);
    if (gravity) this.body.setGravity(gravity);
    if (inertia !== undefined) this.body.setInertia(inertia);
    if (method !== undefined && method !== this.current.method) this.setMethod(method);
    const newRank = rank !== undefined && rank !== this.current.rank;
    if (newRank) {
      this.body.setRank(rank);
      this.stepper.forget();
    }
    if (shake !== undefined) this.shake(shake);
    this.current = { ...this.current, ...accepted };
    if (others.paused !== undefined || others.speed !== undefined) this.pace.clearSpeed();
    if (newRank) messages.push(...this.refresh());
    if (problems.length > 0) {
      const inForce = { settings: namedSettings(this.current, change) };
      messages.push({ kind: 'failed', command: 'settings', message: `${problems.join('. ')}.`, inForce });
    }
    return messages;
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
    this.holding.setMethod(method);
    this.stepper.forget();
    this.shake(null);
    // Linear modes go further than the nonlinear body could follow: it starts from rest. So it does after a mode that plays.
    if (method === 'reduced' && !this.player) this.reset();
  }

  private shake(shake: Shake | null): void {
    this.shaker.change(this.stepper.time, this.current.timeStep, shake);
    this.current = { ...this.current, shake };
  }

  /** After a change of material or rank, on which frequencies, modes and what holds the body depend. */
  private refresh(): Message[] {
    const frequencies = this.body.frequencies();
    this.lowest = lowestFrequency(frequencies);
    const lost = this.holding.refresh();
    if (this.player?.refresh() === false) this.reset();
    const messages: Message[] = [{ kind: 'frequencies', frequencies }];
    if (lost > 0) {
      const message = `There is no room for all handles at this rank: ${lost} ${lost === 1 ? 'was' : 'were'} let go.`;
      messages.push({ kind: 'failed', command: 'settings', message });
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
      this.player = new ModePlayer(this.body, playback);
      this.holding.releaseAll();
      this.shake(null);
    }
    this.playback = playback;
  }

  /** The frame to post, null: none is due, or all is as it was. */
  private frameDue(now: number): Frame | null {
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
    return this.gate.passes(now, q, !this.current.paused) ? this.frame(q.slice()) : null;
  }

  /** Of the frame that q moves a body in. Modes play where the body was made. */
  private currentPose(): number[] {
    if (this.player || this.byPositions) return [];
    const { root } = this.body;
    const shaken = this.shaker.active ? this.shaker.position(this.stepper.time) : null;
    const pose = root ? [...root.position, ...root.rotation] : shaken ? [...shaken, 0, 0, 0, 1] : [];
    return pose.map(Math.fround);
  }

  private shift(): Vector3 | null {
    if (!this.body.info.free) return null;
    const center = this.player ? this.center : this.body.momentum.center;
    return [center[0] - this.center[0], center[1] - this.center[1], center[2] - this.center[2]];
  }

  /** While a mode plays there is no motion of the body, and no energy. */
  private frame(q: Float32Array): Frame {
    const energy = this.player ? { elastic: 0, kinetic: 0 } : this.body.energy;
    return {
      time: this.time,
      q,
      pose: this.pose,
      shift: this.shift(),
      elasticEnergy: energy.elastic,
      kineticEnergy: energy.kinetic,
      warped: this.current.method === 'warped',
      ...this.holding.frame(),
      steps: this.steps,
      stepRate: this.pace.stepRate,
      reachedSpeed: this.current.paused || this.player ? 0 : this.pace.speed,
      playingMode: this.player !== null,
    };
  }
}
