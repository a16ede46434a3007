import { checkFinite, checkInteger, checkNumbers, checkVector, checkWord } from './checks.js';
import type { TreeDescription } from './description.js';
import { LimberError } from './limber_error.js';
import { Live } from './live.js';
import { ModelArrays } from './model_arrays.js';
import type {
  InterfaceGap,
  RootState,
  SubtreeInertia,
  TreeInfo,
  TreeState,
  TreeSurface,
  Vector3,
} from './types.js';
import type { WasmRuntime } from './wasm_module.js';

const inertias: readonly SubtreeInertia[] = ['interface', 'center', 'full']; // numbered as in tree_dynamics.hpp

/**
 * A tree of reduced domains: a body whose parts deform in frames of their own, which their parents carry. Its vertices are those of
 * `surface()`, its domains those of `info`. SI units. Functions that throw LimberError leave the tree as it was.
 *
 * It holds memory of the WebAssembly module, which no garbage collector frees: call `dispose()` when it is no longer needed.
 */
export class Tree extends Live {
  readonly info: TreeInfo;
  private readonly arrays: ModelArrays;

  /** Made by `loadTree()`. */
  constructor(
    runtime: WasmRuntime,
    number: number,
    private readonly description: TreeDescription,
  ) {
    super(runtime, number, 'tree', description.tree.vertexCount);
    this.info = description.tree;
    this.arrays = new ModelArrays(runtime, number);
  }

  /** A copy of what is drawn, which may be sent to another thread. */
  surface(): TreeSurface {
    this.checkAlive();
    return this.arrays.treeSurface(this.description.parts);
  }

  /** m by which the farthest vertex of its own domain moves per unit of each coordinate. */
  reach(): Float64Array {
    this.checkAlive();
    return this.arrays.reach();
  }

  // What it is made of.

  /** Factor of the elastic forces of a domain, positive: its frequencies change by the square root. */
  setStiffness(domain: number, factor: number): void {
    this.call(
      '_limber_set_domain_stiffness',
      this.checkDomain(domain),
      checkFinite(factor, 'the factor of the stiffness'),
    );
  }

  stiffness(domain: number): number {
    this.call('_limber_domain_stiffness', this.checkDomain(domain));
    return this.runtime.result(0);
  }

  /** What a domain feels of the inertia of those that hang from it: 'full' at first. */
  get inertia(): SubtreeInertia {
    this.call('_limber_inertia');
    return inertias[this.runtime.result(0)]!;
  }

  setInertia(inertia: SubtreeInertia): void {
    this.call('_limber_set_inertia', checkWord(inertia, inertias, 'the inertia of subtrees'));
  }

  // What acts on it, until it is changed; more in Live.

  /** Air that moves past it. velocity: its mean, m/s; gusts: how much it varies in place and time, as a share of the mean. */
  setWind(velocity: Vector3, gusts = 0): void {
    this.call('_limber_set_wind', ...checkVector(velocity, 'the wind'), checkFinite(gusts, 'the gusts'));
  }

  // Motion.

  /** A copy. */
  get state(): TreeState {
    const { time, q: all, v: rates } = this.stateView();
    const count = this.info.coordinateCount;
    const copy = {
      time,
      q: all.slice(0, count),
      v: rates.slice(0, count),
      root: this.info.free ? rootState(all.subarray(count), rates.subarray(count)) : null,
    };
    const { elastic, kinetic } = this.energy;
    return { ...copy, elasticEnergy: elastic, kineticEnergy: kinetic };
  }

  /** q, v: `info.coordinateCount` numbers each. root: of a free tree, which needs one. The time stays. */
  setState(q: ArrayLike<number>, v: ArrayLike<number>, root: RootState | null = null): void {
    const count = this.info.coordinateCount;
    checkNumbers(q, count, 'q');
    checkNumbers(v, count, 'v');
    if (this.info.free && !root) throw new LimberError('the root of a free tree has a state; none was given');
    if (!this.info.free || !root) {
      this.writeState(q, v);
      return;
    }
    const { position, rotation, velocity, angularVelocity } = root;
    const place = [...checkVector(position, 'the position of the root'), ...rotation];
    const rates = [
      ...checkVector(velocity, 'the velocity of the root'),
      ...checkVector(angularVelocity, 'the angular velocity of the root'),
      0,
    ];
    this.writeState([...Array.from(q), ...place], [...Array.from(v), ...rates]);
  }

  /** Writes where all vertices are now, 3 n numbers. */
  positionsInto(into: Float32Array): void {
    const length = 3 * this.info.vertexCount;
    if (into.length !== length) throw new LimberError(`room for ${into.length} numbers, expected ${length}`);
    into.set(this.positionsView());
  }

  /** Hz, about the lowest frequency of a tree that is held, whatever it does now: takes some steps' time. 0 for a free one. */
  lowestFrequency(): number {
    this.call('_limber_lowest_frequency');
    return this.runtime.result(0);
  }

  /** How far the vertices of an interface are at most from the rigid motion of the frame that they carry; null: there is no interface. */
  largestGap(): InterfaceGap | null {
    this.call('_limber_largest_gap');
    const [domain, distance, share] = this.vector();
    return domain < 0 ? null : { domain, distance, share };
  }

  private checkDomain(domain: number): number {
    return checkInteger(domain, 0, this.info.domains.length - 1, 'the domain');
  }
}

/** As tree_bindings.cpp writes it. */
function rootState(place: Float64Array, rates: Float64Array): RootState {
  const [x = 0, y = 0, z = 0, i = 0, j = 0, k = 0, w = 1] = place;
  const [vx = 0, vy = 0, vz = 0, wx = 0, wy = 0, wz = 0] = rates;
  return {
    position: [x, y, z],
    rotation: [i, j, k, w],
    velocity: [vx, vy, vz],
    angularVelocity: [wx, wy, wz],
  };
}
