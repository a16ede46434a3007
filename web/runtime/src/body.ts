import {
  checkFinite,
  checkHandle,
  checkInteger,
  checkKeys,
  checkNumbers,
  checkVector,
  checkWord,
} from './checks.js';
import type { BodyDescription } from './description.js';
import { LimberError } from './limber_error.js';
import { Live } from './live.js';
import { ModelArrays } from './model_arrays.js';
import { writeHandles } from './records.js';
import type {
  BodyInfo,
  BodyState,
  FrameMotion,
  Handle,
  HandleReport,
  Material,
  Method,
  Quaternion,
  SimulationMesh,
  Surface,
} from './types.js';
import type { WasmRuntime } from './wasm_module.js';

const methods: readonly Method[] = ['nonlinear', 'linear', 'warped']; // numbered as in live_body.hpp

/**
 * A deformable body: a reduced model with its materials, its state and what acts on it, all of which may change between two
 * steps. Its vertices are those of `surface()`. SI units. Functions that throw LimberError leave the body as it was.
 *
 * It holds memory of the WebAssembly module, which no garbage collector frees: call `dispose()` when it is no longer needed.
 */
export class Body extends Live {
  readonly info: BodyInfo;
  private readonly arrays: ModelArrays;

  /** Made by `load()`. */
  constructor(
    runtime: WasmRuntime,
    number: number,
    private readonly description: BodyDescription,
  ) {
    super(runtime, number, 'body', description.info.vertexCount);
    this.info = description.info;
    this.arrays = new ModelArrays(runtime, number);
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

  // What acts on it, until it is changed; more in Live.

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

  /** A copy. */
  get state(): BodyState {
    const { time, q, v } = this.stateView();
    const copy = { time, q: q.slice(), v: v.slice() };
    const { elastic, kinetic } = this.energy;
    return { ...copy, elasticEnergy: elastic, kineticEnergy: kinetic };
  }

  /** q, v: `rank` numbers each. The time stays. */
  setState(q: ArrayLike<number>, v: ArrayLike<number>): void {
    const rank = this.rank;
    checkNumbers(q, rank, 'q');
    checkNumbers(v, rank, 'v');
    this.writeState(q, v);
  }

  /** Writes q, `rank` numbers: all that drawing a frame needs. */
  coordinates(into: Float32Array): void {
    const { q } = this.stateView();
    if (into.length < q.length) {
      throw new LimberError(`room for ${into.length} coordinates, expected ${q.length}`);
    }
    into.set(q);
  }

  /** How a vertex is turned from rest, as the method 'warped' has it; not at all for the others. */
  orientation(vertex: number): Quaternion {
    this.call('_limber_orientation', this.checkVertex(vertex));
    return [...this.vector(), this.runtime.result(3)];
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

  private checkRegion(region: number): number {
    return checkInteger(region, 0, this.info.regions.length - 1, 'the region');
  }
}
