import {
  checkFinite,
  checkHandle,
  checkInteger,
  checkKeys,
  checkNatural,
  checkNumbers,
  checkQuaternion,
  checkVector,
  checkWord,
} from './checks.js';
import type { BodyDescription } from './description.js';
import { LimberError } from './limber_error.js';
import { ModelArrays } from './model_arrays.js';
import type {
  BodyInfo,
  BodyState,
  Damping,
  Handle,
  HandleReport,
  InterfaceGap,
  Material,
  Method,
  Momentum,
  Pick,
  Quaternion,
  FrameState,
  SimulationMesh,
  Spring,
  StaticOptions,
  StaticReport,
  StepOptions,
  SubtreeInertia,
  SupportKey,
  Surface,
  SurfaceLoad,
  TimedLoads,
  Vector3,
  VertexForce,
} from './types.js';
import type { Call, WasmRuntime } from './wasm_module.js';

const methods: readonly Method[] = ['reduced', 'linear', 'warped']; // numbered as in body_bindings.cpp
const inertias: readonly SubtreeInertia[] = ['interface', 'center', 'full']; // as subtree_inertia_words of tree_dynamics.hpp
const noRotation: Quaternion = [0, 0, 0, 1];

/** From when and until when a load acts. */
function loadTimes({ from = 0, to }: { readonly from?: number; readonly to?: number }): number[] {
  return [
    checkFinite(from, 'the start of a load'),
    to === undefined ? Infinity : checkFinite(to, 'the end of a load'),
  ];
}

/** As limber_set_timed_loads of load_bindings.cpp reads them. */
function timedLoadNumbers({ forces = [], accelerations = [] }: TimedLoads): number[] {
  const onVertices = forces.flatMap((load) => {
    checkKeys(load, ['vertices', 'force', 'from', 'to'], 'a force for a time');
    const vertices = Array.from(load.vertices, (vertex) => checkNatural(vertex, 'the vertex'));
    return [...checkVector(load.force, 'the force'), ...loadTimes(load), vertices.length, ...vertices];
  });
  const onTheWhole = accelerations.flatMap((load) => {
    checkKeys(load, ['acceleration', 'from', 'to'], 'an acceleration for a time');
    return [...checkVector(load.acceleration, 'the acceleration'), ...loadTimes(load), -1];
  });
  return [...onVertices, ...onTheWhole];
}

/** As limber_set_surface_loads of load_bindings.cpp reads them. */
function surfaceLoadNumbers(load: SurfaceLoad): number[] {
  checkKeys(load, ['triangles', 'pressure', 'traction', 'from', 'to'], 'a load on the surface');
  const { pressure = 0, traction = [0, 0, 0] } = load;
  const triangles = Array.from(load.triangles, (triangle) => checkNatural(triangle, 'the triangle'));
  return [
    checkFinite(pressure, 'the pressure'),
    ...checkVector(traction, 'the traction'),
    ...loadTimes(load),
    triangles.length,
    ...triangles,
  ];
}

/**
 * A deformable body: a model with its method, materials, state and loads, all of which may change between two steps. Its vertices are those
 * of `surface()`, its parts and domains those of `info`; places and forces are in the world, in SI units. Functions that throw LimberError
 * leave the body as it was. What its method cannot do is refused.
 *
 * It holds memory of the WebAssembly module, which no garbage collector frees: call `dispose()` when it is no longer needed.
 */
export class Body {
  readonly info: BodyInfo;
  private readonly arrays: ModelArrays;
  private disposed = false;
  /** Of the world that it is in; null: of none. @internal */
  leaveWorld: (() => void) | null = null;

  /** Made by `load()`. */
  constructor(
    /** @internal */
    readonly runtime: WasmRuntime,
    /** @internal */
    readonly number: number,
    private readonly description: BodyDescription,
  ) {
    this.info = description.info;
    this.arrays = new ModelArrays(runtime, number);
  }

  /** Another body of the same model, as this one is now. They share the model and all that is computed from it: a copy costs its state. */
  copy(): Body {
    this.checkAlive();
    return new Body(this.runtime, this.runtime.copy(this.number), this.description);
  }

  /** Frees its memory, and takes it out of the world that it is in. Nothing else may be called afterwards; a second call does nothing. */
  dispose(): void {
    if (this.disposed) return;
    this.leaveWorld?.();
    this.runtime.release(this.number);
    this.disposed = true;
  }

  // What it is.

  /** A copy of what is drawn, which may be sent to another thread. */
  surface(): Surface {
    this.checkAlive();
    return this.arrays.surface(this.description.parts, this.info.warpable);
  }

  /** A copy of the mesh that the model was made from; null where the file leaves it out, and for several domains. */
  simulationMesh(): SimulationMesh | null {
    this.checkAlive();
    const { element } = this.description;
    return element === null ? null : this.arrays.simulationMesh(element);
  }

  /** m by which the farthest vertex of its domain moves per unit of each coordinate in use. */
  reach(): Float64Array {
    this.checkAlive();
    return this.arrays.reach();
  }

  // What it is made of.

  /** Coordinates of a part in use: all of the part's at first. */
  rank(part = 0): number {
    return this.ask('_limber_rank', checkNatural(part, 'the part'));
  }

  /** Coordinates that leave are lost, those that come start from 0. */
  setRank(rank: number, part = 0): void {
    this.call('_limber_set_rank', checkNatural(part, 'the part'), checkNatural(rank, 'the rank'));
  }

  material(region: number, part = 0): Material {
    this.call('_limber_material', checkNatural(part, 'the part'), checkNatural(region, 'the region'));
    const [young, poisson, density] = this.runtime.vector();
    return { law: this.info.parts[part]!.regions[region]!.material.law, young, poisson, density };
  }

  /** Changes what is given and leaves the rest. 0.2 ms at r = 30 natively: a slider may call it. */
  setMaterial(
    region: number,
    change: { young?: number; poisson?: number; density?: number },
    part = 0,
  ): void {
    checkKeys(change, ['young', 'poisson', 'density'], 'a material');
    const value = (key: 'young' | 'poisson' | 'density', what: string) =>
      change[key] === undefined ? NaN : checkFinite(change[key], what);
    this.call(
      '_limber_set_material',
      checkNatural(part, 'the part'),
      checkNatural(region, 'the region'),
      value('young', "Young's modulus"),
      value('poisson', "Poisson's ratio"),
      value('density', 'the density'),
    );
  }

  /** None at first. */
  setDamping({ mass, stiffness }: Damping): void {
    this.call(
      '_limber_set_damping',
      checkFinite(mass, 'the damping of mass'),
      checkFinite(stiffness, 'the damping of stiffness'),
    );
  }

  /** Factor of the elastic forces of a domain, positive: its frequencies change by the square root. */
  setStiffness(domain: number, factor: number): void {
    this.call(
      '_limber_set_stiffness',
      checkNatural(domain, 'the domain'),
      checkFinite(factor, 'the factor of the stiffness'),
    );
  }

  stiffness(domain: number): number {
    return this.ask('_limber_stiffness', checkNatural(domain, 'the domain'));
  }

  /** What a domain feels of the inertia of those that hang from it: 'full' at first. */
  get inertia(): SubtreeInertia {
    return inertias[this.ask('_limber_inertia')]!;
  }

  setInertia(inertia: SubtreeInertia): void {
    this.call('_limber_set_inertia', checkWord(inertia, inertias, 'the inertia of subtrees'));
  }

  /** 'reduced' at first. */
  get method(): Method {
    return methods[this.ask('_limber_method')]!;
  }

  /**
   * The body goes on from the same q and v. Handles that hold orientations are let go where the new method cannot hold them; what else it
   * cannot do is refused. 'warped' needs `info.warpable`. The method that it has already changes nothing.
   */
  setMethod(method: Method): void {
    this.call('_limber_set_method', checkWord(method, methods, 'the method'));
  }

  // What acts on it, until it is changed.

  /** m/s^2; none at first. */
  setGravity(acceleration: Vector3): void {
    this.call('_limber_set_gravity', ...checkVector(acceleration, 'gravity'));
  }

  /** A constant force on a vertex, N, in place of the one there; zero takes it away. */
  setForce(vertex: number, force: Vector3): void {
    this.call('_limber_set_force', checkNatural(vertex, 'the vertex'), ...checkVector(force, 'the force'));
  }

  /** Constant forces on vertices, in place of all those before: as many as one likes. */
  setForces(forces: readonly VertexForce[]): void {
    this.write(
      forces.flatMap(({ vertex, force }) => [
        checkNatural(vertex, 'the vertex'),
        ...checkVector(force, 'the force'),
      ]),
    );
    this.call('_limber_set_forces');
  }

  /** Forces and accelerations that come and go by the time of the body, in place of those before. */
  setTimedLoads(loads: TimedLoads): void {
    checkKeys(loads, ['forces', 'accelerations'], 'loads for a time');
    this.write(timedLoadNumbers(loads));
    this.call('_limber_set_timed_loads');
  }

  /** Pressure and traction on pieces of the surface, in place of those before; pressure follows the shape of the body. */
  setSurfaceLoads(loads: readonly SurfaceLoad[]): void {
    this.write(loads.flatMap(surfaceLoadNumbers));
    this.call('_limber_set_surface_loads');
  }

  /** Springs from vertices to points, in place of those before. */
  setSprings(springs: readonly Spring[]): void {
    this.write(
      springs.flatMap(({ vertex, target, stiffness }) => [
        checkNatural(vertex, 'the vertex'),
        ...checkVector(target, 'the target of a spring'),
        checkFinite(stiffness, 'the stiffness of a spring'),
      ]),
    );
    this.call('_limber_set_springs');
  }

  /** N, with which spring i of the list given to `setSprings` pulls now. */
  springForce(i: number): Vector3 {
    this.call('_limber_spring_force', checkNatural(i, 'the number of the spring'));
    return this.runtime.vector();
  }

  /** N/m, with which it resists a force on a vertex at rest. Infinity for one that cannot move. */
  stiffnessAt(vertex: number): number {
    return this.ask('_limber_stiffness_at', checkNatural(vertex, 'the vertex'));
  }

  /**
   * Vertices that are held from the next step on, in place of those before: hard constraints. Orientations are those of bodies that something holds, by the
   * methods 'warped' and, without wind, 'linear'. Handles at the same vertices that hold the same only move, which costs nothing. Where not all can be met, those of `priority` are
   * first. Throws for a vertex that cannot move, one that is held twice, and quaternions that are not of unit length.
   */
  setHandles(handles: readonly Handle[], priority: 'position' | 'orientation' = 'position'): void {
    const orientationFirst = checkWord(priority, ['position', 'orientation'], 'the priority');
    this.write(
      handles.flatMap((handle) => {
        checkHandle(handle);
        const { vertex, position, rotation } = handle;
        const holds = [position ? 1 : 0, rotation ? 1 : 0];
        return [
          checkNatural(vertex, 'the vertex'),
          ...holds,
          ...(position ?? [0, 0, 0]),
          ...(rotation ?? noRotation),
        ];
      }),
    );
    this.call('_limber_set_handles', orientationFirst);
  }

  /** How well handles were met in the last step. */
  get handleReport(): HandleReport {
    this.call('_limber_handle_report');
    const [met, positionError, orientationError] = this.runtime.vector();
    return { met: met !== 0, positionError, orientationError };
  }

  /** Air that moves past it. velocity: its mean, m/s; gusts: how much it varies in place and time, as a share of the mean. */
  setWind(velocity: Vector3, gusts = 0): void {
    this.call('_limber_set_wind', ...checkVector(velocity, 'the wind'), checkFinite(gusts, 'the gusts'));
  }

  /**
   * How what holds the body moves, by the time of the body: through keys, at the first before it and at the last after it. 'smooth': cubic
   * splines, at rest at both ends; 'linear': velocities jump at keys. null: it stands still. Throws for a body that nothing holds.
   */
  setSupport(keys: readonly SupportKey[] | null, interpolation: 'linear' | 'smooth' = 'smooth'): void {
    const smooth = checkWord(interpolation, ['linear', 'smooth'], 'the interpolation');
    this.write(
      (keys ?? []).flatMap((key) => {
        checkKeys(key, ['time', 'position', 'rotation'], 'a key of the support');
        return [
          checkFinite(key.time, 'the time of a key'),
          ...checkVector(key.position ?? [0, 0, 0], 'the position of a key'),
          ...checkQuaternion(key.rotation ?? noRotation, 'the rotation of a key'),
        ];
      }),
    );
    this.call('_limber_set_support', smooth);
  }

  // Motion.

  /** Takes `count` steps of h seconds. Where one fails, its reason is thrown; the steps before it stay taken. Throws for a body in a world, which steps it. */
  step(h: number, count = 1, options: StepOptions = {}): void {
    checkKeys(options, ['iterations', 'solver'], 'a step');
    const solver = checkWord(options.solver ?? 'direct', ['direct', 'cg'], 'the solver');
    this.call(
      '_limber_step',
      checkFinite(h, 'the time step'),
      checkNatural(count, 'the number of steps'),
      checkInteger(options.iterations ?? 1, 1, 1e9, 'the number of iterations'),
      solver,
    );
  }

  /** To equilibrium under the loads of now, from the present shape, and at rest there. Where none is found it throws, and all is as it was. */
  solveStatic(options: StaticOptions = {}): StaticReport {
    checkKeys(options, ['tolerance', 'iterations'], 'an equilibrium');
    const { tolerance = 1e-8, iterations = 100 } = options;
    this.call(
      '_limber_solve_static',
      checkFinite(tolerance, 'the tolerance'),
      checkInteger(iterations, 1, 1e9, 'the number of iterations'),
    );
    return { iterations: this.runtime.result(0), residual: this.runtime.result(1) };
  }

  /** Throws it: it moves as one rigid body from now on. m/s, and rad/s about its centre of mass. Of a body that nothing holds. */
  setVelocity(velocity: Vector3, angular: Vector3 = [0, 0, 0]): void {
    this.call(
      '_limber_set_velocity',
      ...checkVector(velocity, 'the velocity'),
      ...checkVector(angular, 'the angular velocity'),
    );
  }

  /** To the rest shape, at rest, at time 0. What it is made of and what acts on it stays. */
  reset(): void {
    this.call('_limber_reset');
  }

  /** A copy. */
  get state(): BodyState {
    this.call('_limber_state');
    const [time, size, atQ] = this.runtime.vector();
    const [q, v] = [atQ, this.runtime.result(3)].map((at) => this.runtime.doubles(at, size).slice());
    const { elastic, kinetic } = this.energy;
    return { time, q: q!, v: v!, root: this.root, elasticEnergy: elastic, kineticEnergy: kinetic };
  }

  /** How the frame of a free body is and moves; null where something holds it. */
  get root(): FrameState | null {
    if (!this.info.free) return null;
    this.call('_limber_root');
    const { runtime } = this;
    return {
      position: runtime.vector(0),
      rotation: [...runtime.vector(3), runtime.result(6)],
      velocity: runtime.vector(7),
      angularVelocity: runtime.vector(10),
    };
  }

  /** q, v: of all coordinates in use. root: of a free body; not given: it stays. So does the time. */
  setState(q: ArrayLike<number>, v: ArrayLike<number>, root: FrameState | null = null): void {
    checkNumbers(q, q.length, 'q');
    checkNumbers(v, v.length, 'v');
    const frame = root
      ? [
          ...checkVector(root.position, 'the position of the root'),
          ...checkQuaternion(root.rotation, 'the rotation of the root'),
          ...checkVector(root.velocity, 'the velocity of the root'),
          ...checkVector(root.angularVelocity, 'the angular velocity of the root'),
        ]
      : [];
    this.write([...Array.from(q), ...Array.from(v), ...frame]);
    this.call('_limber_set_state', q.length, v.length);
  }

  /** The state as bytes, from which a body with the same model, settings and loads goes on with the same bits. */
  save(): Uint8Array {
    this.call('_limber_save');
    return this.runtime.bytes(this.runtime.result(0), this.runtime.result(1)).slice();
  }

  /** Throws for bytes that `save` of such a body has not given. */
  restore(bytes: Uint8Array): void {
    this.call('_limber_room', Math.ceil(bytes.length / 8));
    this.runtime.bytes(this.runtime.result(0), bytes.length).set(bytes);
    this.call('_limber_restore', bytes.length);
  }

  /** Writes q, as many numbers as are in use: all that drawing a frame needs of one domain. */
  coordinates(into: Float32Array): void {
    this.call('_limber_state');
    const [, size, address] = this.runtime.vector();
    if (into.length < size) throw new LimberError(`room for ${into.length} coordinates, expected ${size}`);
    into.set(this.runtime.doubles(address, size));
  }

  /** J, without the springs that pull. */
  get energy(): { readonly elastic: number; readonly kinetic: number } {
    this.call('_limber_energy');
    return { elastic: this.runtime.result(0), kinetic: this.runtime.result(1) };
  }

  get momentum(): Momentum {
    this.call('_limber_momentum');
    const { runtime } = this;
    return {
      mass: runtime.result(0),
      center: runtime.vector(1),
      linear: runtime.vector(4),
      angular: runtime.vector(7),
    };
  }

  /** Where a vertex is now. */
  position(vertex: number): Vector3 {
    this.call('_limber_position', checkNatural(vertex, 'the vertex'));
    return this.runtime.vector();
  }

  /** m/s */
  velocity(vertex: number): Vector3 {
    this.call('_limber_velocity', checkNatural(vertex, 'the vertex'));
    return this.runtime.vector();
  }

  /** How a vertex is turned from rest: as the method 'warped' has it, or as the frame of its domain. */
  orientation(vertex: number): Quaternion {
    this.call('_limber_orientation', checkNatural(vertex, 'the vertex'));
    return [...this.runtime.vector(), this.runtime.result(3)];
  }

  /** Where all vertices are now, 3 n. Writes them into an array that is given. */
  positions(into: Float32Array = new Float32Array(3 * this.info.vertexCount)): Float32Array {
    this.call('_limber_positions');
    const found = this.runtime.floats(this.runtime.result(0), this.runtime.result(1));
    if (into.length !== found.length) {
      throw new LimberError(`room for ${into.length} numbers, expected ${found.length}`);
    }
    into.set(found);
    return into;
  }

  /** The vertex of the surface as it is now that a ray points at; null where it points at none. */
  pick(origin: Vector3, direction: Vector3): Pick | null {
    this.call(
      '_limber_pick',
      ...checkVector(origin, 'the origin of the ray'),
      ...checkVector(direction, 'the direction of the ray'),
    );
    const [vertex, distance, hit] = this.runtime.vector();
    return vertex < 0 ? null : { vertex, distance, hit: hit !== 0 };
  }

  /** How far the vertices of an interface are at most from the rigid motion of the frame that they carry; null: there is no interface. */
  largestGap(): InterfaceGap | null {
    this.call('_limber_largest_gap');
    const [domain, distance, share] = this.runtime.vector();
    return domain < 0 ? null : { domain, distance, share };
  }

  // Natural vibrations about the rest shape, for the present materials and rank.

  /** Hz, ascending: of one domain all, of several the lowest alone, or about it. */
  frequencies(): Float64Array {
    return this.list('_limber_frequencies');
  }

  /** q of vibration i, scaled so that the vertex that moves farthest moves by 1 m. Of one domain. */
  modeShape(i: number): Float64Array {
    return this.list('_limber_mode_shape', checkNatural(i, 'the number of the vibration'));
  }

  /** @internal */
  checkAlive(): void {
    if (this.disposed) throw new LimberError('the body was disposed of; load it again');
  }

  private call(name: Call, ...values: number[]): void {
    this.checkAlive();
    (this.runtime.call as (name: string, ...values: number[]) => void).call(
      this.runtime,
      name,
      this.number,
      ...values,
    );
  }

  /** A function that gives one number. */
  private ask(name: Call, ...values: number[]): number {
    this.call(name, ...values);
    return this.runtime.result(0);
  }

  /** A function that gives the address and the length of doubles. A copy. */
  private list(name: Call, ...values: number[]): Float64Array {
    this.call(name, ...values);
    return this.runtime.doubles(this.runtime.result(0), this.runtime.result(1)).slice();
  }

  /** Numbers for the next call. */
  private write(numbers: readonly number[]): void {
    this.call('_limber_room', numbers.length);
    this.runtime.doubles(this.runtime.result(0), numbers.length).set(numbers);
  }
}
