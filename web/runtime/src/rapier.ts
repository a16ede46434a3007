import { LimberError } from './limber_error.js';
import type { HostBodySetup, HostState, Quaternion, Vector3 } from './types.js';
import type { HostBody, World } from './world.js';

// What is used of Rapier (@dimforge/rapier3d and rapier3d-compat): its own classes are of these types, and nothing of it is loaded here.

interface RapierVector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

interface RapierQuaternion extends RapierVector {
  readonly w: number;
}

export interface RapierBody {
  readonly handle: number;
  isDynamic(): boolean;
  isSleeping(): boolean;
  numColliders(): number;
  collider(i: number): RapierCollider;
  linvel(): RapierVector;
  angvel(): RapierVector;
  worldCom(): RapierVector;
  effectiveInvMass(): RapierVector;
  /** The six numbers of the upper triangle of a symmetric matrix, by rows. */
  effectiveWorldInvInertiaSqrt(): { readonly elements: ArrayLike<number> };
  gravityScale(): number;
  applyImpulse(impulse: RapierVector, wakeUp: boolean): void;
  applyTorqueImpulse(impulse: RapierVector, wakeUp: boolean): void;
}

export interface RapierCollider {
  readonly handle: number;
  /** Its kind by `type`, numbered as in Rapier's ShapeType; half spaces have a normal. */
  readonly shape: { readonly type: number };
  isSensor(): boolean;
  isEnabled(): boolean;
  parent(): RapierBody | null;
  translation(): RapierVector;
  rotation(): RapierQuaternion;
  friction(): number;
  restitution(): number;
  radius(): number;
  halfHeight(): number;
  halfExtents(): RapierVector;
}

export interface RapierWorld {
  timestep: number;
  gravity: RapierVector;
  forEachCollider(visit: (collider: RapierCollider) => void): void;
  step(): void;
}

/** Some of Rapier's ShapeType. */
const [ball, cuboid, capsule, halfSpace] = [0, 1, 2, 17];

/** From z to y, along which capsules are in Rapier. */
const toY: Quaternion = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
const noTurn: Quaternion = [0, 0, 0, 1];

/** What sleeps goes on doing so below these, m/s and rad/s, or below a share of what its weight makes in a step: contacts that carry it are softer than that. */
const [stillSpeed, stillShare, stillSpin] = [1e-3, 0.1, 0.05];

function vectorOf({ x, y, z }: RapierVector): Vector3 {
  return [x, y, z];
}

function product([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** The shortest turn of z to a unit vector. */
function turnTo({ x, y, z }: RapierVector): Quaternion {
  if (z < -1 + 1e-12) return [1, 0, 0, 0];
  const size = Math.sqrt(2 * (1 + z));
  return [-y / size, x / size, 0, size / 2];
}

/** The square of a symmetric matrix given by its upper triangle, by rows. */
function squared(elements: ArrayLike<number>): number[] {
  const at = [0, 1, 2, 1, 3, 4, 2, 4, 5].map((i) => elements[i]!);
  return Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [3 * Math.floor(i / 3), i % 3];
    return at[row]! * at[column]! + at[row + 1]! * at[column + 3]! + at[row + 2]! * at[column + 6]!;
  });
}

function times(matrix: readonly number[], [x, y, z]: Vector3): Vector3 {
  const row = (i: number): number => matrix[i]! * x + matrix[i + 1]! * y + matrix[i + 2]! * z;
  return [row(0), row(3), row(6)];
}

/** Its shape, and how that is turned in the axes of the collider. */
function shapeOf(collider: RapierCollider): { shape: HostBodySetup['shape']; turn: Quaternion } {
  switch (collider.shape.type) {
    case ball:
      return { shape: { kind: 'sphere', radius: collider.radius() }, turn: noTurn };
    case cuboid:
      return { shape: { kind: 'box', half: vectorOf(collider.halfExtents()) }, turn: noTurn };
    case capsule: {
      const [radius, halfLength] = [collider.radius(), collider.halfHeight()];
      return { shape: { kind: 'capsule', radius, halfLength }, turn: toY };
    }
    case halfSpace: {
      const { normal } = collider.shape as unknown as { normal: RapierVector };
      return { shape: { kind: 'halfSpace' }, turn: turnTo(normal) };
    }
    default:
      throw new LimberError(
        `a collider of Rapier has the shape ${collider.shape.type}, expected a ball, cuboid, capsule or half space; leave it out by 'accepts'`,
      );
  }
}

/** What a host body is made from. */
function setupOf(collider: RapierCollider): { setup: HostBodySetup; turn: Quaternion } {
  const { shape, turn } = shapeOf(collider);
  const restitution = Math.min(1, Math.max(0, collider.restitution()));
  return { setup: { shape, friction: collider.friction(), restitution }, turn };
}

interface Linked {
  readonly collider: RapierCollider;
  readonly host: HostBody;
  readonly turn: Quaternion;
  /** What it was made from, as text. */
  readonly madeFrom: string;
  state: HostState;
  seen: boolean;
}

/**
 * Lets the bodies of a world of limber live in a world of Rapier: they touch its colliders, with impulses on both sides.
 *
 *     const guests = new RapierGuests(world, rapier);
 *     guests.step(); // both, by rapier.timestep
 *
 * Rapier's bodies are to limber what they are at the start of a step, with gravity; what else is done to them in it, by each other or by `addForce`, is taken from the
 * steps before. A body that sleeps lies there with its weight, and is woken by what would set it in motion. Of a body with
 * several colliders, and of shapes other than balls, cuboids, capsules and half spaces, an error is thrown.
 */
export class RapierGuests {
  private readonly linked = new Map<number, Linked>();

  /** accepts: which colliders may be touched; all that are enabled and no sensors if not given. */
  constructor(
    private readonly world: World,
    private readonly rapier: RapierWorld,
    private readonly accepts: (collider: RapierCollider) => boolean = () => true,
  ) {}

  /** Steps both: limber's bodies, then, with what they do to it, Rapier's world. */
  step(): void {
    this.before(this.rapier.timestep);
    this.rapier.step();
  }

  /** Steps limber's bodies alone by h seconds and pushes Rapier's: for whoever steps Rapier next, by the same. */
  before(h: number): void {
    this.follow();
    for (const one of this.linked.values()) {
      one.state = this.stateOf(one);
      one.host.setState(one.state);
    }
    this.world.step(h);
    for (const one of this.linked.values()) this.push(one, h);
  }

  /** What contacts of the world name a collider by; null: it is not touched. */
  hostOf(collider: RapierCollider): HostBody | null {
    return this.linked.get(collider.handle)?.host ?? null;
  }

  /** Takes Rapier's bodies out of limber's world. */
  dispose(): void {
    for (const { host } of this.linked.values()) this.world.remove(host);
    this.linked.clear();
  }

  private touches(collider: RapierCollider): boolean {
    return !collider.isSensor() && collider.isEnabled() && this.accepts(collider);
  }

  /** Colliders come and go, and change what they are. */
  private follow(): void {
    for (const one of this.linked.values()) one.seen = false;
    this.rapier.forEachCollider((collider) => {
      if (!this.touches(collider)) return;
      const known = this.linked.get(collider.handle);
      if (known && known.madeFrom === JSON.stringify(setupOf(collider))) {
        known.seen = true;
        return;
      }
      if (known) this.world.remove(known.host);
      this.linked.delete(collider.handle);
      this.add(collider);
    });
    for (const [handle, one] of this.linked) {
      if (one.seen) continue;
      this.world.remove(one.host);
      this.linked.delete(handle);
    }
  }

  private add(collider: RapierCollider): void {
    const body = collider.parent();
    if (body?.isDynamic()) {
      const all = Array.from({ length: body.numColliders() }, (_, i) => body.collider(i));
      const count = all.filter((one) => this.touches(one)).length;
      if (count > 1) {
        throw new LimberError(
          `a body of Rapier has ${count} colliders, expected 1; leave it out by 'accepts'`,
        );
      }
    }
    const { setup, turn } = setupOf(collider);
    const host = this.world.addHost(setup);
    const madeFrom = JSON.stringify({ setup, turn });
    this.linked.set(collider.handle, { collider, host, turn, madeFrom, state: {}, seen: true });
  }

  private stateOf({ collider, turn }: Linked): HostState {
    const { x, y, z, w } = collider.rotation();
    const length = Math.hypot(x, y, z, w); // which is 1 in single precision
    const rotation = product([x / length, y / length, z / length, w / length], turn);
    const placement = { position: vectorOf(collider.translation()), rotation };
    const body = collider.parent();
    if (!body) return placement;
    const [center, angularVelocity] = [vectorOf(body.worldCom()), vectorOf(body.angvel())];
    const velocity = vectorOf(body.linvel());
    if (!body.isDynamic()) return { ...placement, center, velocity, angularVelocity };
    const scale = body.gravityScale();
    const { x: gx, y: gy, z: gz } = this.rapier.gravity;
    return {
      ...placement,
      center,
      velocity,
      angularVelocity,
      acceleration: [scale * gx, scale * gy, scale * gz],
      inverseMass: body.effectiveInvMass().x,
      asleep: body.isSleeping(),
      inverseInertia: squared(body.effectiveWorldInvInertiaSqrt().elements),
    };
  }

  private push({ collider, host, state }: Linked, h: number): void {
    const body = collider.parent();
    if (!body?.isDynamic()) return;
    const { impulse, angularImpulse } = host.push;
    if ([...impulse, ...angularImpulse].every((value) => value === 0)) return;
    if (body.isSleeping()) {
      const { velocity, angularVelocity, acceleration, inverseMass, inverseInertia } = state;
      const speed = Math.hypot(
        ...velocity!.map((value, i) => value + h * acceleration![i]! + inverseMass! * impulse[i]!),
      );
      const turned = times(inverseInertia!, angularImpulse);
      const spin = Math.hypot(...angularVelocity!.map((value, i) => value + turned[i]!));
      const weight = h * Math.hypot(this.rapier.gravity.x, this.rapier.gravity.y, this.rapier.gravity.z);
      if (speed < Math.max(stillSpeed, stillShare * weight) && spin < stillSpin) return;
    }
    const [x, y, z] = impulse;
    body.applyImpulse({ x, y, z }, true);
    body.applyTorqueImpulse({ x: angularImpulse[0], y: angularImpulse[1], z: angularImpulse[2] }, true);
  }
}
