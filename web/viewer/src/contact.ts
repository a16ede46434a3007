import type { World } from '../../runtime/src/index';
import type { Method, StepOptions, Vector3 } from '../../runtime/src/types';
import type { RuntimeBody } from './runtime_body';

/** What the simulation needs of a world of the runtime. */
export type RuntimeWorld = Pick<World, 'step' | 'setGround' | 'addObstacle' | 'remove' | 'dispose'> & {
  readonly contacts: Pick<World['contacts'], 'count' | 'positions' | 'impulses'>;
};

/** Makes the world in which a body touches. */
export type MakeWorld = (body: RuntimeBody) => RuntimeWorld;

/** What bodies of the scene meet. */
export interface Surroundings {
  /** m, of the ground along z; null: there is none. */
  readonly ground: number | null;
  /** Balls that stand in the way. */
  readonly balls: readonly { readonly center: Vector3; readonly radius: number }[];
}

export const nothing: Surroundings = { ground: null, balls: [] };

/** How rough the ground and what stands on it are. */
const friction = 0.6;

/** Whether a body that moves by this method can touch (method.hpp of the library says the same). */
export function canTouch(method: Method): boolean {
  return method !== 'warped';
}

/**
 * What a body touches: of one that nothing holds the ground and the obstacles, each body in a world of its own, whose origin is where the
 * body was made.
 */
export class Contact {
  private world: RuntimeWorld | null = null;
  private surroundings = nothing;

  /** place: m by which the body was moved from where it was made. */
  constructor(
    private readonly body: RuntimeBody,
    private readonly place: Vector3,
    private readonly makeWorld: MakeWorld | null,
  ) {}

  setSurroundings(surroundings: Surroundings, method: Method): void {
    if (surroundings === this.surroundings) return;
    this.surroundings = surroundings;
    this.leave();
    this.enter(method);
  }

  /** Before the method changes. */
  leave(): void {
    this.world?.dispose();
    this.world = null;
  }

  /** After it has. */
  enter(method: Method): void {
    const { ground, balls } = this.surroundings;
    if (this.world || !this.makeWorld || !this.body.info.free || !canTouch(method)) return;
    if (ground === null && balls.length === 0) return;
    const [x, y, z] = this.place;
    const world = this.makeWorld(this.body);
    try {
      if (ground !== null) world.setGround({ height: ground - z, friction });
      for (const { center, radius } of balls) {
        world.addObstacle({
          shape: { kind: 'sphere', radius },
          position: [center[0] - x, center[1] - y, center[2] - z],
          friction,
        });
      }
    } catch (error) {
      world.dispose();
      throw error;
    }
    this.world = world;
  }

  /** Takes steps of the body, with what it touches. */
  step(h: number, count: number, options: StepOptions): void {
    if (this.world) this.world.step(h, count);
    else this.body.step(h, count, options);
  }

  /** Where the body was pushed in the last step, in the scene: 3 n. */
  marks(): readonly number[] {
    if (!this.world) return [];
    const { count, positions, impulses } = this.world.contacts;
    const marks: number[] = [];
    for (let i = 0; i < count; ++i) {
      const at = [3 * i, 3 * i + 1, 3 * i + 2] as const;
      if (at.some((k) => impulses[k] !== 0))
        marks.push(...at.map((k, axis) => positions[k]! + this.place[axis]!));
    }
    return marks;
  }

  dispose(): void {
    this.leave();
  }
}
