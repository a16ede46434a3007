import { checkFinite, checkInteger, checkKeys, checkPull, checkVector, checkWord } from './checks.js';
import { LimberError } from './limber_error.js';
import { writePulls } from './records.js';
import type { Damping, Pick, Pull, StepOptions, Vector3 } from './types.js';
import type { WasmRuntime } from './wasm_module.js';

const mostInt = 2 ** 31 - 1;

/**
 * What bodies and trees of domains have in common: loads, steps, and where their vertices are. Functions that throw LimberError leave
 * all as it was.
 *
 * It holds memory of the WebAssembly module, which no garbage collector frees: call `dispose()` when it is no longer needed.
 */
export abstract class Live {
  protected pullCount = 0;
  private disposed = false;

  protected constructor(
    protected readonly runtime: WasmRuntime,
    protected readonly number: number,
    private readonly what: string,
    private readonly vertexCount: number,
  ) {}

  /** Frees its memory. Nothing else may be called afterwards; a second call does nothing. */
  dispose(): void {
    if (!this.disposed) this.runtime.release(this.number);
    this.disposed = true;
  }

  // What acts on it, until it is changed.

  /** None at first. */
  setDamping(damping: Damping): void {
    const { mass, stiffness } = damping;
    this.call(
      '_limber_set_damping',
      checkFinite(mass, 'the damping of mass'),
      checkFinite(stiffness, 'the damping of stiffness'),
    );
  }

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

  /** N/m, with which it resists a force on a vertex at rest. Infinity for one that cannot move. */
  stiffnessAt(vertex: number): number {
    this.call('_limber_stiffness_at', this.checkVertex(vertex));
    return this.runtime.result(0);
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

  /** To the rest shape, at rest, at time 0. What it is made of and what acts on it stays. */
  reset(): void {
    this.call('_limber_reset');
  }

  /** J, without the springs that pull. */
  get energy(): { readonly elastic: number; readonly kinetic: number } {
    this.call('_limber_energy');
    return { elastic: this.runtime.result(0), kinetic: this.runtime.result(1) };
  }

  /** Where a vertex is now. */
  position(vertex: number): Vector3 {
    this.call('_limber_position', this.checkVertex(vertex));
    return this.vector();
  }

  /** Where all vertices are now, 3 n: a copy. */
  positions(): Float32Array {
    return this.positionsView().slice();
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

  /** Valid until the next call. */
  protected positionsView(): Float32Array {
    this.call('_limber_positions');
    return this.runtime.floats(this.runtime.result(0), this.runtime.result(1));
  }

  /** Time, coordinates and velocities, which are valid until the next call. */
  protected stateView(): { time: number; q: Float64Array; v: Float64Array } {
    this.call('_limber_state');
    const [time, size] = [this.runtime.result(0), this.runtime.result(1)];
    const [q, v] = [this.runtime.result(2), this.runtime.result(3)];
    return { time, q: this.runtime.doubles(q, size), v: this.runtime.doubles(v, size) };
  }

  /** Of as many numbers as `stateView` gives. */
  protected writeState(q: ArrayLike<number>, v: ArrayLike<number>): void {
    this.call('_limber_state_room');
    const [atQ, atV] = [this.runtime.result(0), this.runtime.result(1)];
    this.runtime.doubles(atQ, q.length).set(q);
    this.runtime.doubles(atV, v.length).set(v);
    this.call('_limber_set_state');
  }

  protected checkVertex(vertex: number): number {
    return checkInteger(vertex, 0, this.vertexCount - 1, 'the vertex');
  }

  protected vector(): [number, number, number] {
    return [this.runtime.result(0), this.runtime.result(1), this.runtime.result(2)];
  }

  protected checkAlive(): void {
    if (this.disposed) throw new LimberError(`the ${this.what} was disposed of; load it again`);
  }

  protected call(name: Parameters<WasmRuntime['call']>[0], ...values: number[]): void {
    this.checkAlive();
    (this.runtime.call as (name: string, ...values: number[]) => void).call(
      this.runtime,
      name,
      this.number,
      ...values,
    );
  }
}
