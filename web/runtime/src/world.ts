import type { Body } from './body.js';
import { checkFinite, checkKeys, checkNatural, checkQuaternion, checkVector } from './checks.js';
import { LimberError } from './limber_error.js';
import type {
  ContactMaterial,
  FrameState,
  GroundSetup,
  HostBodySetup,
  HostPush,
  HostState,
  ObstacleSetup,
  Placement,
  Quaternion,
  RigidBodySetup,
  RigidGrip,
  Shape,
  Vector3,
} from './types.js';
import type { Call, WasmRuntime } from './wasm_module.js';

/** Those that touch. */
export type Touching = Body | RigidBody | Obstacle | HostBody;

/** Where two touched in the last step, or nearly so: n places. All arrays are copies. */
export interface Contacts {
  readonly count: number;
  /** n: which two. */
  readonly first: readonly Touching[];
  readonly second: readonly Touching[];
  /** 3 n, m: at the start of the step. */
  readonly positions: Float64Array;
  /** 3 n: of unit length, towards the first. */
  readonly normals: Float64Array;
  /** 3 n, N s: on the first. Zero where they were only near. */
  readonly impulses: Float64Array;
  /** 3 n, m/s: of the first seen from the second. */
  readonly velocities: Float64Array;
  /** n, m: at the start of the step; negative: so deep in each other. */
  readonly distances: Float64Array;
}

/** Of the last step. */
export interface ContactReport {
  /** Contacts that pushed. */
  readonly pushing: number;
  /** m: of the places found, at the start of the step. */
  readonly deepest: number;
  /** False: contacts were not solved to the tolerance; shorter steps may help. */
  readonly converged: boolean;
  /** Pairs of bodies near each other that cannot see each other: neither was kept with its mesh. */
  readonly untested: number;
}

const materialKeys = ['friction', 'restitution', 'compliance'];
const placementKeys = ['position', 'rotation'];
const gripKeys = [
  ...placementKeys,
  'velocity',
  'angularVelocity',
  'stiffness',
  'damping',
  'turningStiffness',
  'turningDamping',
];
const noRotation: Quaternion = [0, 0, 0, 1];
const origin: Vector3 = [0, 0, 0];
/** Numbers of a contact in limber_world_contacts. */
const recordSize = 17;

function materialNumbers({ friction = 0.5, restitution = 0, compliance = 0 }: ContactMaterial) {
  return [
    checkFinite(friction, 'the friction'),
    checkFinite(restitution, 'the restitution'),
    checkFinite(compliance, 'the compliance of a contact'),
  ] as const;
}

function placementNumbers({ position = origin, rotation = noRotation }: Placement): number[] {
  return [
    ...checkVector(position, 'the position of a solid'),
    ...checkQuaternion(rotation, 'the rotation of a solid'),
  ];
}

/** As shape_at of world_bindings.cpp reads them. */
function shapeNumbers(shape: Shape): number[] {
  const lengths = (...values: number[]): number[] =>
    values.map((value) => checkFinite(value, `a length of the ${shape.kind}`));
  switch (shape.kind) {
    case 'sphere':
      checkKeys(shape, ['kind', 'radius'], 'a sphere');
      return [1, ...lengths(shape.radius, 0, 0)];
    case 'box':
      checkKeys(shape, ['kind', 'half'], 'a box');
      return [2, ...checkVector(shape.half, 'half of the edges of the box')];
    case 'capsule':
      checkKeys(shape, ['kind', 'radius', 'halfLength'], 'a capsule');
      return [3, ...lengths(shape.radius, shape.halfLength, 0)];
    default:
      throw new LimberError(
        `the kind of a shape is '${String((shape as { kind: unknown }).kind)}', expected sphere, box or capsule`,
      );
  }
}

/** All that is below its plane z = 0. */
const halfSpace = [0, 0, 0, 0];

/** The shortest turn that takes z to a direction. */
function uprightAlong(up: Vector3): { readonly rotation: Quaternion; readonly axis: Vector3 } {
  const length = Math.hypot(...checkVector(up, 'the upward direction of the ground'));
  if (!(length > 0)) throw new LimberError('the upward direction of the ground has no length');
  const [x, y, z] = [up[0] / length, up[1] / length, up[2] / length];
  const axis: Vector3 = [x, y, z];
  if (z < -1 + 1e-12) return { axis, rotation: [1, 0, 0, 0] };
  const size = Math.sqrt(2 * (1 + z));
  return { axis, rotation: [-y / size, x / size, 0, size / 2] };
}

/** What the parts of a world call it by. */
interface Owner {
  call(name: Call, ...values: number[]): void;
  write(numbers: readonly number[]): void;
  readonly runtime: WasmRuntime;
}

/** Its number in its world, which goes down when one before it leaves. */
class Member {
  private owner: Owner | null;

  /** Made by a `World`. @internal */
  constructor(
    owner: Owner,
    private readonly siblings: readonly Member[],
    private readonly what: string,
  ) {
    this.owner = owner;
  }

  /** @internal */
  leave(): void {
    this.owner = null;
  }

  /** @internal */
  get number(): number {
    return this.siblings.indexOf(this);
  }

  protected get world(): Owner {
    if (!this.owner) throw new LimberError(`the ${this.what} was taken out of its world`);
    return this.owner;
  }
}

/** What stands in the way of bodies: made by `World.addObstacle` and `World.setGround`. */
export class Obstacle extends Member {
  /** It stands elsewhere from now on, and has not moved there. */
  place(placement: Placement): void {
    checkKeys(placement, placementKeys, 'the place of an obstacle');
    this.world.write(placementNumbers(placement));
    this.world.call('_limber_world_place_obstacle', this.number);
  }
}

/** A body that does not deform: made by `World.addRigid`. */
export class RigidBody extends Member {
  /** mass: kg. @internal */
  constructor(
    owner: Owner,
    siblings: readonly Member[],
    readonly mass: number,
  ) {
    super(owner, siblings, 'rigid body');
  }

  /** How the axes of its shape are, and its centre of mass moves. */
  get state(): FrameState {
    const { world } = this;
    world.call('_limber_rigid_state', this.number);
    const { runtime } = world;
    return {
      position: runtime.vector(0),
      rotation: [...runtime.vector(3), runtime.result(6)],
      velocity: runtime.vector(7),
      angularVelocity: runtime.vector(10),
    };
  }

  /** What is given changes, the rest stays: also when velocities are at home, which is the middle of the last step. */
  setState(change: Partial<FrameState>): void {
    checkKeys(change, ['position', 'rotation', 'velocity', 'angularVelocity'], 'the state of a rigid body');
    const next = { ...this.state, ...change };
    this.world.write([
      ...placementNumbers(next),
      ...checkVector(next.velocity, 'the velocity of a rigid body'),
      ...checkVector(next.angularVelocity, 'the angular velocity of a rigid body'),
    ]);
    const moves = change.velocity !== undefined || change.angularVelocity !== undefined;
    this.world.call('_limber_rigid_set_state', this.number, moves ? 1 : 0);
  }

  /**
   * A hand that holds it by springs and dampers, until the next call; null lets go. Taken implicitly: stable at any stiffness.
   */
  setGrip(grip: RigidGrip | null): void {
    if (!grip) {
      this.world.call('_limber_rigid_let_go', this.number);
      return;
    }
    checkKeys(grip, gripKeys, 'the grip of a rigid body');
    this.world.write([
      ...placementNumbers(grip),
      ...checkVector(grip.velocity ?? origin, 'the velocity of a hand'),
      ...checkVector(grip.angularVelocity ?? origin, 'the angular velocity of a hand'),
      checkFinite(grip.stiffness, 'the stiffness of a grip'),
      checkFinite(grip.damping ?? 0, 'the damping of a grip'),
      checkFinite(grip.turningStiffness ?? 0, 'the turning stiffness of a grip'),
      checkFinite(grip.turningDamping ?? 0, 'the turning damping of a grip'),
    ]);
    this.world.call('_limber_rigid_set_grip', this.number);
  }

  /** What the hand felt in the last step: force, N, and torque, N m. */
  get felt(): { readonly force: Vector3; readonly torque: Vector3 } {
    const { world } = this;
    world.call('_limber_rigid_grip_load', this.number);
    const opposite = ([x, y, z]: Vector3): Vector3 => [-x, -y, -z];
    return { force: opposite(world.runtime.vector(0)), torque: opposite(world.runtime.vector(3)) };
  }

  /** m/s^2 */
  setGravity(acceleration: Vector3): void {
    this.world.call('_limber_rigid_set_gravity', this.number, ...checkVector(acceleration, 'gravity'));
  }
}

const noInertia: readonly number[] = Array.from({ length: 9 }, () => 0);

/**
 * A rigid body that another engine moves: made by `World.addHost`. Bodies of limber touch it with its inertia and never move it. Before each step the engine says how
 * it is, afterwards it adds the push to its velocities: v += inverseMass * impulse, w += inverseInertia * angularImpulse. They touch neither each other nor obstacles.
 */
export class HostBody extends Member {
  /** To be called before each step; of one that stands still, once. */
  setState(state: HostState): void {
    const rates = ['velocity', 'angularVelocity', 'acceleration', 'angularAcceleration'];
    const keys = ['center', ...rates, 'inverseMass', 'inverseInertia', 'asleep'];
    checkKeys(state, [...keys, ...placementKeys], 'the state of a host body');
    const { inverseInertia = noInertia } = state;
    if (inverseInertia.length !== 9) {
      throw new LimberError(`the inverse inertia has ${inverseInertia.length} numbers, expected 9`);
    }
    this.world.write([
      ...placementNumbers(state),
      ...checkVector(state.center ?? state.position ?? origin, 'the centre of mass of a host body'),
      ...checkVector(state.velocity ?? origin, 'the velocity of a host body'),
      ...checkVector(state.angularVelocity ?? origin, 'the angular velocity of a host body'),
      ...checkVector(state.acceleration ?? origin, 'the acceleration of a host body'),
      ...checkVector(state.angularAcceleration ?? origin, 'the angular acceleration of a host body'),
      checkFinite(state.inverseMass ?? 0, 'the inverse mass'),
      ...inverseInertia.map((value) => checkFinite(value, 'the inverse inertia')),
      state.asleep ? 1 : 0,
    ]);
    this.world.call('_limber_host_set_state', this.number);
  }

  /** Of the last step. */
  get push(): HostPush {
    const { world } = this;
    world.call('_limber_host_push', this.number);
    return { impulse: world.runtime.vector(0), angularImpulse: world.runtime.vector(3) };
  }
}

/**
 * Bodies, and what they touch: rigid bodies, obstacles, bodies of another engine and each other. They move together: a step
 * counts only if it succeeds for all. Bodies of all methods touch, free or held; they keep all of their functions, but are stepped by the world, and cannot ride on a
 * support; those of the method 'warped' take neither springs nor handles nor wind there. Gravity is each body's own.
 *
 * It holds memory of the WebAssembly module: call `dispose()` when it is no longer needed. Its bodies live on then.
 */
export class World {
  private readonly runtime: WasmRuntime;
  private readonly number: number;
  private readonly bodies: Body[] = [];
  private readonly rigids: RigidBody[] = [];
  private readonly obstacles: Obstacle[] = [];
  private readonly hosts: HostBody[] = [];
  private ground_: Obstacle | null = null;
  private disposed = false;

  /** With a first body in it; others are added. */
  constructor(first: Body, material: ContactMaterial = {}) {
    this.runtime = first.runtime;
    this.number = this.runtime.createWorld();
    try {
      this.add(first, material);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Frees its memory. Nothing else may be called afterwards; a second call does nothing. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    for (const body of this.bodies) body.leaveWorld = null;
    for (const member of [...this.rigids, ...this.obstacles, ...this.hosts]) member.leave();
    this.runtime.releaseWorld(this.number);
  }

  // What is in it.

  /** The body touches from now on. Throws for one that is in a world, rides on a support, or moves by 'warped' and has springs, handles or wind. */
  add(body: Body, material: ContactMaterial = {}): void {
    if (body.runtime !== this.runtime) {
      throw new LimberError('the body was loaded after the runtime had failed; make a new world for it');
    }
    body.checkAlive();
    checkKeys(material, materialKeys, 'the material of a contact');
    this.call('_limber_world_add', body.number, ...materialNumbers(material));
    this.bodies.push(body);
    body.leaveWorld = () => {
      this.remove(body);
    };
  }

  setMaterial(body: Body, material: ContactMaterial): void {
    this.checkMember(body);
    checkKeys(material, materialKeys, 'the material of a contact');
    this.call('_limber_world_set_material', body.number, ...materialNumbers(material));
  }

  /** Of the points that stand for its surface so many are looked at, those that matter most first; more than there are: all, as at first. */
  setContactPoints(body: Body, points: number): void {
    this.checkMember(body);
    this.call('_limber_world_set_points', body.number, checkNatural(points, 'the number of points'));
  }

  /** Takes a body, a rigid body, an obstacle or a host body out. A body lives on as it is, and touches nothing. The contacts of the last step go. */
  remove(one: Touching): void {
    const [name, list] =
      one instanceof RigidBody
        ? (['_limber_world_remove_rigid', this.rigids] as const)
        : one instanceof Obstacle
          ? (['_limber_world_remove_obstacle', this.obstacles] as const)
          : one instanceof HostBody
            ? (['_limber_world_remove_host', this.hosts] as const)
            : (['_limber_world_remove', this.bodies] as const);
    const place = (list as readonly Touching[]).indexOf(one);
    if (place < 0) throw new LimberError('what is to be removed is not in this world');
    // Of a module that has failed nothing is left but what is noted here.
    if (this.disposed || this.runtime.alive) this.call(name, one instanceof Member ? place : one.number);
    list.splice(place, 1);
    if (one instanceof Member) one.leave();
    else one.leaveWorld = null;
    if (one === this.ground_) this.ground_ = null;
  }

  /** The ground, in place of the one before; null: none. What it returns contacts name it by. */
  setGround(ground: GroundSetup): Obstacle;
  setGround(ground: null): null;
  setGround(ground: GroundSetup | null): Obstacle | null;
  setGround(ground: GroundSetup | null): Obstacle | null {
    let numbers: number[] = [];
    if (ground) {
      checkKeys(ground, ['height', 'up', ...materialKeys], 'the ground');
      const height = checkFinite(ground.height ?? 0, 'the height of the ground');
      const { axis, rotation } = uprightAlong(ground.up ?? [0, 0, 1]);
      const position: Vector3 = [height * axis[0], height * axis[1], height * axis[2]];
      numbers = [...halfSpace, ...placementNumbers({ position, rotation }), ...materialNumbers(ground)];
    }
    const before = this.ground_;
    const next = ground && this.stand(numbers);
    if (before) this.remove(before);
    return (this.ground_ = next);
  }

  addObstacle(setup: ObstacleSetup): Obstacle {
    checkKeys(setup, ['shape', ...placementKeys, ...materialKeys], 'an obstacle');
    return this.stand([...shapeNumbers(setup.shape), ...placementNumbers(setup), ...materialNumbers(setup)]);
  }

  addRigid(setup: RigidBodySetup): RigidBody {
    const keys = ['shape', 'density', 'velocity', 'angularVelocity', 'gravity'];
    checkKeys(setup, [...keys, ...placementKeys, ...materialKeys], 'a rigid body');
    this.write([
      ...shapeNumbers(setup.shape),
      ...placementNumbers(setup),
      ...materialNumbers(setup),
      checkFinite(setup.density ?? 1000, 'the density'),
      ...checkVector(setup.velocity ?? origin, 'the velocity of a rigid body'),
      ...checkVector(setup.angularVelocity ?? origin, 'the angular velocity of a rigid body'),
      ...checkVector(setup.gravity ?? origin, 'gravity'),
    ]);
    this.call('_limber_world_add_rigid');
    const rigid = new RigidBody(this.owner, this.rigids, this.runtime.result(0));
    this.rigids.push(rigid);
    return rigid;
  }

  /** A rigid body that another engine moves. It is to be told how it is before the next step. */
  addHost(setup: HostBodySetup): HostBody {
    checkKeys(setup, ['shape', ...materialKeys], 'a host body');
    const { shape } = setup;
    this.write([
      ...(shape.kind === 'halfSpace' ? halfSpace : shapeNumbers(shape)),
      ...materialNumbers(setup),
    ]);
    this.call('_limber_world_add_host');
    const host = new HostBody(this.owner, this.hosts, 'host body');
    this.hosts.push(host);
    return host;
  }

  // Motion.

  /** Takes `count` steps of h seconds of all. Where one fails, its reason is thrown; the steps before it stay taken. */
  step(h: number, count = 1): void {
    this.call(
      '_limber_world_step',
      checkFinite(h, 'the time step'),
      checkNatural(count, 'the number of steps'),
    );
  }

  /**
   * The time and the rigid bodies as bytes, from which a world made in the same way goes on with the same bits; bodies save themselves, and obstacles
   * stay where they are.
   */
  save(): Uint8Array {
    this.call('_limber_world_save');
    return this.runtime.bytes(this.runtime.result(0), this.runtime.result(1)).slice();
  }

  /** Throws for bytes that `save` of such a world has not given. The contacts of the last step go. */
  restore(bytes: Uint8Array): void {
    this.call('_limber_world_room', Math.ceil(bytes.length / 8));
    this.runtime.bytes(this.runtime.result(0), bytes.length).set(bytes);
    this.call('_limber_world_restore', bytes.length);
  }

  /** How well contact was solved in the last step. */
  get contactReport(): ContactReport {
    this.call('_limber_world_state');
    const { runtime } = this;
    return {
      pushing: runtime.result(2),
      deepest: runtime.result(3),
      converged: runtime.result(5) !== 0,
      untested: runtime.result(6),
    };
  }

  /** s, of all steps so far. */
  get time(): number {
    this.call('_limber_world_state');
    return this.runtime.result(0);
  }

  /** Of the last step. */
  get contacts(): Contacts {
    this.call('_limber_world_contacts');
    const records = this.runtime.doubles(this.runtime.result(0), this.runtime.result(1));
    const count = records.length / recordSize;
    const column = (start: number, width: number): Float64Array => {
      const values = new Float64Array(width * count);
      for (let i = 0; i < count; ++i) {
        const at = recordSize * i + start;
        values.set(records.subarray(at, at + width), width * i);
      }
      return values;
    };
    const lists = this.lists;
    const those = (start: number): Touching[] =>
      Array.from(
        { length: count },
        (_, i) => lists[records[recordSize * i + start]!]![records[recordSize * i + start + 1]!]!,
      );
    return {
      count,
      first: those(0),
      second: those(2),
      positions: column(4, 3),
      normals: column(7, 3),
      impulses: column(10, 3),
      velocities: column(13, 3),
      distances: column(16, 1),
    };
  }

  /** N: of all contacts on one of those that touch, the mean over the last step. */
  contactForce(one: Touching): Vector3 {
    const of = one instanceof RigidBody ? 1 : one instanceof Obstacle ? 2 : one instanceof HostBody ? 3 : 0;
    const index = (this.lists[of] as readonly Touching[]).indexOf(one);
    if (index < 0) throw new LimberError('the force is asked for of one that is not in this world');
    this.call('_limber_world_state');
    const h = this.runtime.result(4);
    if (h === 0) return origin;
    this.call('_limber_world_impulse', of, index);
    const [x, y, z] = this.runtime.vector();
    return [x / h, y / h, z / h];
  }

  private checkMember(body: Body): void {
    body.checkAlive();
    if (!this.bodies.includes(body)) throw new LimberError('the body is not in this world');
  }

  /** As in Touching::Of. */
  private get lists() {
    return [this.bodies, this.rigids, this.obstacles, this.hosts] as const;
  }

  private get owner(): Owner {
    return {
      call: (name, ...values) => {
        this.call(name, ...values);
      },
      write: (numbers) => {
        this.write(numbers);
      },
      runtime: this.runtime,
    };
  }

  private stand(numbers: readonly number[]): Obstacle {
    this.write(numbers);
    this.call('_limber_world_add_obstacle');
    const obstacle = new Obstacle(this.owner, this.obstacles, 'obstacle');
    this.obstacles.push(obstacle);
    return obstacle;
  }

  private call(name: Call, ...values: number[]): void {
    if (this.disposed) throw new LimberError('the world was disposed of');
    (this.runtime.call as (name: string, ...values: number[]) => void).call(
      this.runtime,
      name,
      this.number,
      ...values,
    );
  }

  /** Numbers for the next call. */
  private write(numbers: readonly number[]): void {
    this.call('_limber_world_room', numbers.length);
    this.runtime.doubles(this.runtime.result(0), numbers.length).set(numbers);
  }
}
