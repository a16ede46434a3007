import type { Contacts, HostBody, Obstacle, RigidBody, World } from '../../runtime/src/index';
import type { Method, SubtreeInertia, UpAxis, Vector3 } from '../../runtime/src/types';
import type { RuntimeBody } from './runtime_body';
import { upVector } from './up';

/** What the simulation needs of a world of the runtime. */
export interface RuntimeWorld extends Pick<
  World,
  'step' | 'setGround' | 'addObstacle' | 'addRigid' | 'save' | 'restore' | 'dispose'
> {
  add(body: RuntimeBody, material?: { readonly friction: number }): void;
  remove(one: RuntimeBody | Obstacle | RigidBody | HostBody): void;
  readonly contacts: {
    readonly first: readonly unknown[];
    readonly second: readonly unknown[];
  } & Pick<Contacts, 'count' | 'positions' | 'impulses'>;
}

/** Makes the world in which bodies touch, with a first one in it. */
export type MakeWorld = (body: RuntimeBody) => RuntimeWorld;

/** What bodies of the scene meet beside each other. */
export interface Surroundings {
  /** Which way is up. */
  readonly up: UpAxis;
  /** m, of the ground, upward; null: there is none. */
  readonly ground: number | null;
  /** Balls that stand in the way. */
  readonly balls: readonly { readonly center: Vector3; readonly radius: number }[];
}

export const nothing: Surroundings = { up: 'z', ground: null, balls: [] };

/** How rough bodies, the ground and what stands on it are. */
export const friction = 0.6;

/**
 * Whether a body that moves like that touches others here: warped ones could, but not while somebody pulls them; trees whose domains do not
 * feel all of what hangs from them cannot.
 */
export function canTouch(method: Method, inertia: SubtreeInertia): boolean {
  return method !== 'warped' && inertia === 'full';
}

/** The world of the runtime that all bodies of the scene are in which can touch: the ground, what stands on it, and each other. */
export class SceneContact {
  private world: RuntimeWorld | null = null;
  private readonly members = new Set<RuntimeBody>();
  private surroundings = nothing;
  private obstacles: Obstacle[] = [];
  /** Of the last step; null: not asked for yet. */
  private last: RuntimeWorld['contacts'] | null = null;

  constructor(private readonly makeWorld: MakeWorld | null) {}

  get possible(): boolean {
    return this.makeWorld !== null;
  }

  /** null: nobody is in it. */
  get current(): RuntimeWorld | null {
    return this.world;
  }

  has(body: RuntimeBody): boolean {
    return this.members.has(body);
  }

  setSurroundings(surroundings: Surroundings): void {
    if (surroundings === this.surroundings) return;
    this.surroundings = surroundings;
    this.last = null;
    if (this.world) this.furnish(this.world);
  }

  enter(body: RuntimeBody): void {
    if (!this.makeWorld || this.members.has(body)) return;
    this.last = null;
    if (this.world) {
      this.world.add(body, { friction });
    } else {
      const world = this.makeWorld(body);
      try {
        this.furnish(world);
      } catch (error) {
        world.dispose();
        throw error;
      }
      this.world = world;
    }
    this.members.add(body);
  }

  leave(body: RuntimeBody): void {
    if (!this.members.delete(body)) return;
    this.last = null;
    this.world?.remove(body);
    if (this.members.size === 0) this.dispose();
  }

  /** Takes steps of all that are in it. Throws where one fails. */
  step(h: number, count: number): void {
    this.last = null;
    this.world?.step(h, count);
  }

  /** How all but the bodies is, to go back to. */
  remember(): () => void {
    const { world } = this;
    const before = world?.save();
    return () => {
      this.last = null;
      if (before) world?.restore(before);
    };
  }

  /** Where a body was pushed in the last step, in the scene: 3 n. */
  marks(body: RuntimeBody): readonly number[] {
    if (!this.world || !this.members.has(body)) return [];
    const { count, first, second, positions, impulses } = (this.last ??= this.world.contacts);
    const marks: number[] = [];
    for (let i = 0; i < count; ++i) {
      if (first[i] !== body && second[i] !== body) continue;
      const at = [3 * i, 3 * i + 1, 3 * i + 2];
      if (at.some((k) => impulses[k] !== 0)) marks.push(...at.map((k) => positions[k]!));
    }
    return marks;
  }

  dispose(): void {
    this.world?.dispose();
    this.world = null;
    this.members.clear();
    this.obstacles = [];
    this.last = null;
  }

  /** Puts what stands about the bodies into the world, in place of what was there. */
  private furnish(world: RuntimeWorld): void {
    for (const obstacle of this.obstacles) world.remove(obstacle);
    const { up, ground, balls } = this.surroundings;
    world.setGround(ground === null ? null : { height: ground, up: upVector(up), friction });
    this.obstacles = balls.map(({ center, radius }) =>
      world.addObstacle({ shape: { kind: 'sphere', radius }, position: center, friction }),
    );
  }
}
