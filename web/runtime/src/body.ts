import {
  checkFinite,
  checkHandle,
  checkInteger,
  checkKeys,
  checkNumbers,
  checkPull,
  checkVector,
  checkWord,
} from './checks.js';
import { LimberError } from './limber_error.js';
import { ModelArrays } from './model_arrays.js';
import { writeHandles, writePulls } from './records.js';
import type {
  BodyInfo,
  BodyState,
  Damping,
  FrameMotion,
  Handle,
  HandleReport,
  Material,
  Method,
  Pick,
  Pull,
  Quaternion,
  SimulationMesh,
  StepOptions,
  Surface,
  Vector3,
} from './types.js';
import type { WasmRuntime } from './wasm_module.js';

const mostInt = 2 ** 31 - 1;
const methods: readonly Method[] = ['nonlinear', 'linear', 'warped']; // numbered as in live_body.hpp

interface Description {
  readonly info: BodyInfo;
  readonly parts: Surface['parts'];
  readonly element: SimulationMesh['element'] | null;
}

/**
 * A deformable body: a reduced model with its materials, its state and what acts on it, all of which may change between two
 * steps. Its vertices are those of `surface()`. SI units. Functions that throw LimberError leave the body as it was.
 *
 * It holds memory of the WebAssembly module, which no garbage collector frees: call `dispose()` when it is no longer needed.
 */
export class Body {
  readonly info: BodyInfo;
  private readonly description: Description;
  private readonly arrays: ModelArrays;
  private pullCount = 0;
  private disposed = false;

  /** Made by `load()`. */
  constructor(
    private readonly runtime: WasmRuntime,
    private readonly number: number,
  ) {
    runtime.call('_limber_describe', number);
    const text = new TextDecoder().decode(runtime.bytes(runtime.result(0), runtime.result(1)));
    this.description = JSON.parse(text) as Description;
    this.info = this.description.info;
    this.arrays = new ModelArrays(runtime, number);
  }

  /** Frees the body's memory. Nothing else may be called afterwards; a second call does nothing. */
  dispose(): void {
    if (!this.disposed) this.runtime.release(this.number);
    this.disposed = true;
  }

  // What it is.

  /** A copy of what is drawn, which may be sent to another thread. */
  surface(): Surface {
    this.checkAlive();
    return this.arrays.surface(this.description.parts, this.info.warpable);
  }

  /** A copy of the mesh that the model was made from; null where the file leaves it out. */
  simulationMesh(): SimulationMesh | null {
    this.checkAlive();
    const { element } = this.description;
    return element === null ? null : this.arrays.simulationMesh(element);
  }

  // What it is made of.

  /** Coordinates in use, 1 to `info.rank`: all of them at first. */
  get rank(): number {
    this.call('_limber_state');
    return this.runtime.result(1);
  }

  /** Coordinates that leave are lost, those that come start from 0. */
  setRank(rank: number): void {
    this.call('_limber_set_rank', checkInteger(rank, 1, this.info.rank, 'the rank'));
  }

  material(region: number): Material {
    this.call('_limber_material', this.checkRegion(region));
    const [young, poisson, density] = this.vector();
    return { law: this.info.regions[region]!.material.law, young, poisson, density };
  }

  /** Changes what is given and leaves the rest. 0.2 ms at r = 30 natively: a slider may call it. */
  setMaterial(region: number, change: { young?: number; poisson?: number; density?: number }): void {
    checkKeys(change, ['young', 'poisson', 'density'], 'a material');
    const value = (key: 'young' | 'poisson' | 'density', what: string) =>
      change[key] === undefined ? NaN : checkFinite(change[key], what);
    this.call(
      '_limber_set_material',
      this.checkRegion(region),
      value('young', "Young's modulus"),
      value('poisson', "Poisson's ratio"),
      value('density', 'the density'),
    );
  }

  /** None at first. */
  setDamping(damping: Damping): void {
    const { mass, stiffness } = damping;
    this.call(
      '_limber_set_damping',
      checkFinite(mass, 'the damping of mass'),
      checkFinite(stiffness, 'the damping of stiffness'),
    );
  }

  /** 'nonlinear' at first. */
  get method(): Method {
    this.call('_limber_method');
    return methods[this.runtime.result(0)]!;
  }

  /**
   * The body goes on from the same q and v; pulls are dropped, handles let go, and a frame that moved is at rest. 'warped' needs
   * `info.warpable`. The method that it has already changes nothing.
   */
  setMethod(method: Method): void {
    const number = checkWord(method, methods, 'the method');
    if (method === this.method) return;
    this.call('_limber_set_method', number);
    this.pullCount = 0;
  }

  // What acts on it, until it is changed.

  /** m/s^2; none at first. */
  setGravity(acceleration: Vector3): void {
    this.call('_limber_set_gravity', ...checkVector(acceleration, 'gravity'));
  }

  /** A constant force on a vertex, N, in place of the one there; zero takes it away. */
  applyForce(vertex: number, force: Vector3): void {
    this.call('_limber_set_force', this.checkVertex(vertex), ...checkVector(force, 'the force'));
  }

  clearForces(): void {
    this.call('_limber_clear_forces');
  }

  /** Springs from vertices to points, in place of those before. Not of the method 'warped', which takes handles. */
  setPulls(pulls: readonly Pull[]): void {
    for (const pull of pulls) {
      this.checkVertex(pull.vertex);
      checkPull(pull);
    }
    this.call('_limber_pull_records', pulls.length);
    writePulls(this.runtime, this.runtime.result(0), pulls);
    this.call('_limber_set_pulls');
    this.pullCount = pulls.length;
  }

  /** N, with which pull i of the list given to `setPulls` pulls now. */
  pullForce(i: number): Vector3 {
    if (this.pullCount === 0) throw new LimberError(`pull ${i} is asked for, but there are none`);
    this.call('_limber_pull_force', checkInteger(i, 0, this.pullCount - 1, 'the number of the pull'));
    return this.vector();
  }

  /** N/m, with which the body at rest resists a force on a vertex. Infinity for one that cannot move. */
  stiffnessAt(vertex: number): number {
    this.call('_limber_stiffness_at', this.checkVertex(vertex));
    return this.runtime.result(0);
  }

  /**
   * Vertices that are held from the next step on, in place of those before: hard constraints, of the method 'warped' only. Handles at
   * the same vertices that hold the same only move, which costs nothing. Where not all can be met, those of `priority` are
   * first. Throws for a vertex that cannot move, one that is held twice, and quaternions that are not of unit length.
   */
  setHandles(handles: readonly Handle[], priority: 'position' | 'orientation' = 'position'): void {
    for (const handle of handles) {
      this.checkVertex(handle.vertex);
      checkHandle(handle);
    }
    const orientationFirst = checkWord(priority, ['position', 'orientation'], 'the priority');
    this.call('_limber_handle_records', handles.length);
    writeHandles(this.runtime, this.runtime.result(0), handles);
    this.call('_limber_set_handles', orientationFirst);
  }

  /** How well handles were met in the last step. */
  get handleReport(): HandleReport {
    this.call('_limber_handle_report');
    const [met, positionError, orientationError] = this.vector();
    return { met: met !== 0, positionError, orientationError };
  }

  /** How the frame moves that the body is attached to, of the method 'warped' only. Gravity and forces are in the axes of the frame. */
  setFrameMotion(motion: FrameMotion): void {
    checkKeys(motion, ['acceleration', 'angularVelocity', 'angularAcceleration'], 'the motion of a frame');
    this.call(
      '_limber_set_frame_motion',
      ...checkVector(motion.acceleration, 'the acceleration of the frame'),
      ...checkVector(motion.angularVelocity, 'the angular velocity of the frame'),
      ...checkVector(motion.angularAcceleration, 'the angular acceleration of the frame'),
    );
  }

  // Motion.

  /** Takes `count` steps of h seconds. Where one fails, its reason is thrown; the steps before it stay taken. */
  step(h: number, count = 1, options: StepOptions = {}): void {
    checkKeys(options, ['iterations', 'solver'], 'a step');
    const solver = checkWord(options.solver ?? 'direct', ['direct', 'cg'], 'the solver');
    this.call(
      '_limber_step',
      checkFinite(h, 'the time step'),
      checkInteger(count, 0, mostInt, 'the number of steps'),
      checkInteger(options.iterations ?? 1, 1, mostInt, 'the number of iterations'),
      solver,
    );
  }

  /** To the rest shape, at rest, at time 0. Materials and what acts on the body stay. */
  reset(): void {
    this.call('_limber_reset');
  }

  /** A copy. */
  get state(): BodyState {
    this.call('_limber_state');
    const [time, rank, q, v] = [0, 1, 2, 3].map((i) => this.runtime.result(i)) as [
      number,
      number,
      number,
      number,
    ];
    const state = {
      time,
      q: this.runtime.doubles(q, rank).slice(),
      v: this.runtime.doubles(v, rank).slice(),
    };
    const { elastic, kinetic } = this.energy;
    return { ...state, elasticEnergy: elastic, kineticEnergy: kinetic };
  }

  /** q, v: `rank` numbers each. The time stays. */
  setState(q: ArrayLike<number>, v: ArrayLike<number>): void {
    const rank = this.rank;
    checkNumbers(q, rank, 'q');
    checkNumbers(v, rank, 'v');
    this.call('_limber_state_room');
    const [atQ, atV] = [this.runtime.result(0), this.runtime.result(1)];
    this.runtime.doubles(atQ, rank).set(q);
    this.runtime.doubles(atV, rank).set(v);
    this.call('_limber_set_state');
  }

  /** J, without the springs that pull. */
  get energy(): { readonly elastic: number; readonly kinetic: number } {
    this.call('_limber_energy');
    return { elastic: this.runtime.result(0), kinetic: this.runtime.result(1) };
  }

  /** Writes q, `rank` numbers: all that drawing a frame needs. */
  coordinates(into: Float32Array): void {
    this.call('_limber_state');
    const rank = this.runtime.result(1);
    if (into.length < rank) throw new LimberError(`room for ${into.length} coordinates, expected ${rank}`);
    into.set(this.runtime.doubles(this.runtime.result(2), rank));
  }

  /** Where a vertex is now. */
  position(vertex: number): Vector3 {
    this.call('_limber_position', this.checkVertex(vertex));
    return this.vector();
  }

  /** How a vertex is turned from rest, as the method 'warped' has it; not at all for the others. */
  orientation(vertex: number): Quaternion {
    this.call('_limber_orientation', this.checkVertex(vertex));
    return [...this.vector(), this.runtime.result(3)];
  }

  /** Where all vertices are now, 3 n: a copy. */
  positions(): Float32Array {
    this.call('_limber_positions');
    return this.runtime.floats(this.runtime.result(0), this.runtime.result(1)).slice();
  }

  /** The vertex of the surface as it is now that a ray points at; null where it points at none. */
  pick(origin: Vector3, direction: Vector3): Pick | null {
    this.call(
      '_limber_pick',
      ...checkVector(origin, 'the origin of the ray'),
      ...checkVector(direction, 'the direction of the ray'),
    );
    const [vertex, distance, hit] = this.vector();
    return vertex < 0 ? null : { vertex, distance, hit: hit !== 0 };
  }

  // Natural vibrations about the rest shape, for the present materials and rank.

  /** Hz, ascending, `rank` of them. */
  frequencies(): Float64Array {
    this.call('_limber_frequencies');
    return this.runtime.doubles(this.runtime.result(0), this.runtime.result(1)).slice();
  }

  /** q of vibration i, scaled so that the vertex that moves farthest moves by 1 m. */
  modeShape(i: number): Float64Array {
    this.call('_limber_mode_shape', checkInteger(i, 0, this.rank - 1, 'the number of the vibration'));
    return this.runtime.doubles(this.runtime.result(0), this.runtime.result(1)).slice();
  }

  private checkVertex(vertex: number): number {
    return checkInteger(vertex, 0, this.info.vertexCount - 1, 'the vertex');
  }

  private checkRegion(region: number): number {
    return checkInteger(region, 0, this.info.regions.length - 1, 'the region');
  }

  private vector(): [number, number, number] {
    return [this.runtime.result(0), this.runtime.result(1), this.runtime.result(2)];
  }

  private checkAlive(): void {
    if (this.disposed) throw new LimberError('the body was disposed of; load it again');
  }

  private call(name: Parameters<WasmRuntime['call']>[0], ...values: number[]): void {
    this.checkAlive();
    (this.runtime.call as (name: string, ...values: number[]) => void).call(
      this.runtime,
      name,
      this.number,
      ...values,
    );
  }
}
