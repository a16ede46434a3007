import type { Handle, HandleReport, Quaternion, Vector3 } from '../../runtime/src/types';
import type { ActiveHandle, HandlePriority, Hold } from './protocol';
import type { RuntimeBody } from './runtime_body';
import { angleBetween, nearerSign, turnTowards, upright } from './turning';

/** s of the wall clock in which a target comes nearer to where it is wanted by a factor of e. */
const followTime = 0.04;
/** Shares of the body's size, and rad, below which it is there: its last jump is not felt. */
const arrived = 1e-5;

interface Pose {
  readonly position: Vector3;
  readonly rotation: Quaternion;
}

interface Held {
  readonly vertex: number;
  readonly pinned: boolean;
  readonly hold: Hold;
  /** Where it was when it was first held. */
  readonly start: Vector3;
  /** As the page wants it. */
  readonly wanted: Pose;
  /** As the body gets it: on the way there. */
  readonly given: Pose;
}

export const holdsPosition = (hold: Hold): boolean => hold !== 'orientation';
export const holdsOrientation = (hold: Hold): boolean => hold !== 'position';

/** Why a handle at a body that flies holds positions alone: its points turn with its frame, which no handle turns. */
export const POSITIONS_ONLY = 'Handles of a body that nothing holds keep positions, not orientations';

/** Numbers that a body with so many coordinates can give to handles: one that flies moves as a whole, too. */
export function freedomFor(rank: number, free: boolean): number {
  return rank + (free ? 6 : 0);
}

/** Numbers that a handle takes from the body's motion. */
export function heldFreedom(hold: Hold): number {
  return hold === 'both' ? 6 : 3;
}

function distance(a: Vector3, b: Vector3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/**
 * The handles at a body that moves by warped modes: those that a person has pinned, and those that hands hold meanwhile.
 *
 * A hard constraint that jumps throws the body about: its target reaches the vertex within one step. So targets follow what a person
 * wants in some hundredths of a second, a little with each step.
 */
export class Handles {
  private held = new Map<number, Held>();
  private priority: HandlePriority = 'position';

  /** size: of the body, m. */
  constructor(
    private readonly body: RuntimeBody,
    private readonly size: number,
  ) {}

  get count(): number {
    return this.held.size;
  }

  /** How far targets are from where their vertices were first held, m, together. */
  get reach(): number {
    let sum = 0;
    for (const { start, wanted } of this.held.values()) sum += distance(start, wanted.position);
    return sum;
  }

  /** Whether a target is on its way. */
  get underWay(): boolean {
    return [...this.held.values()].some(({ given, wanted }) => given !== wanted);
  }

  get report(): HandleReport | null {
    return this.held.size > 0 ? this.body.handleReport : null;
  }

  has(id: number): boolean {
    return this.held.has(id);
  }

  /**
   * Where a vertex is, which is held as it is from now on; null: it cannot be moved.
   * pinned: until it is removed, with its orientation where there is room and it can be held; else its position, until it is released.
   */
  add(id: number, vertex: number, pinned: boolean): Vector3 | null {
    if (!Number.isFinite(this.body.stiffnessAt(vertex))) return null;
    if ([...this.held.values()].some((other) => other.vertex === vertex)) {
      throw new Error('There is a handle at this vertex already.');
    }
    const point = this.body.position(vertex);
    const pose = { position: point, rotation: this.body.orientation(vertex) };
    const turns = pinned && !this.body.info.free && this.room - this.freedom() >= heldFreedom('both');
    const hold = turns ? 'both' : 'position';
    this.attempt((held) => held.set(id, { vertex, pinned, hold, start: point, wanted: pose, given: pose }));
    return point;
  }

  /** What is not given stays. A handle that has gone meanwhile is not missed: the page learns of it a frame later. */
  move(id: number, to: Partial<Pose>): void {
    const held = this.held.get(id);
    if (!held) return;
    const { position, rotation } = { ...held.wanted, ...to };
    // Small twists one after the other keep the sign: so a target that lags behind by more than half a turn follows the same way round.
    this.held.set(id, {
      ...held,
      wanted: { position, rotation: nearerSign(rotation, held.wanted.rotation) },
    });
  }

  change(id: number, hold: Hold): void {
    const held = this.held.get(id);
    if (!held) return;
    this.requireTurns(holdsOrientation(hold));
    const now = { position: this.body.position(held.vertex), rotation: this.body.orientation(held.vertex) };
    const kept = (pose: Pose): Pose => ({
      position: holdsPosition(held.hold) ? pose.position : now.position,
      rotation: holdsOrientation(held.hold) ? pose.rotation : now.rotation,
    });
    const given = kept(held.given);
    const wanted = held.given === held.wanted ? given : kept(held.wanted);
    this.attempt((all) => all.set(id, { ...held, hold, wanted, given }));
  }

  /** null: all that are pinned. */
  remove(id: number | null): void {
    this.drop((held, key) => held.pinned && (id === null || key === id));
  }

  /** A hand lets go. */
  release(id: number): void {
    this.drop((held, key) => !held.pinned && key === id);
  }

  /** All hands let go. */
  releaseAll(): void {
    this.drop((held) => !held.pinned);
  }

  clear(): void {
    this.drop(() => true);
  }

  setPriority(priority: HandlePriority): void {
    this.requireTurns(priority === 'orientation');
    this.priority = priority;
    if (this.held.size > 0) this.update();
  }

  /** The body was put to rest, and so are its handles: else they would throw it back to where they were. */
  toRest(): void {
    for (const [id, held] of this.held) {
      const pose = { position: this.body.position(held.vertex), rotation: upright };
      this.held.set(id, { ...held, start: pose.position, wanted: pose, given: pose });
    }
    if (this.held.size > 0) this.update();
  }

  /** After a change of material or rank. Returns how many had to be let go, the newest first: there is no room for them. */
  refresh(): number {
    const before = this.held.size;
    while (this.freedom() > this.room) this.held.delete([...this.held.keys()].at(-1)!);
    if (before > 0) this.update();
    return before - this.held.size;
  }

  /** Targets go on for so many seconds of the wall clock, before a step. */
  follow(seconds: number): void {
    if (!this.underWay) return;
    const share = 1 - Math.exp(-seconds / followTime);
    for (const [id, held] of this.held) {
      if (held.given !== held.wanted) this.held.set(id, { ...held, given: this.nearer(held, share) });
    }
    this.update();
  }

  /** As they are now. */
  active(): ActiveHandle[] {
    return [...this.held].map(([id, { vertex, pinned, hold, wanted, given }]) => {
      const [point, orientation] = [this.body.position(vertex), this.body.orientation(vertex)];
      const [position, rotation] = [holdsPosition(hold), holdsOrientation(hold)];
      return {
        id,
        vertex,
        pinned,
        hold,
        point,
        orientation,
        target: position ? wanted.position : point,
        rotation: rotation ? wanted.rotation : orientation,
        positionError: position ? distance(point, given.position) : 0,
        orientationError: rotation ? angleBetween(orientation, given.rotation) : 0,
      };
    });
  }

  private nearer({ given, wanted }: Held, share: number): Pose {
    const apart = distance(given.position, wanted.position) / this.size;
    if (Math.max(apart, angleBetween(given.rotation, wanted.rotation)) < arrived) return wanted;
    const along = (axis: 0 | 1 | 2): number =>
      given.position[axis] + share * (wanted.position[axis] - given.position[axis]);
    return {
      position: [along(0), along(1), along(2)],
      rotation: turnTowards(given.rotation, wanted.rotation, share),
    };
  }

  private get room(): number {
    return freedomFor(this.body.rank(), this.body.info.free);
  }

  private requireTurns(turns: boolean): void {
    if (turns && this.body.info.free) throw new Error(`${POSITIONS_ONLY}.`);
  }

  private freedom(): number {
    return [...this.held.values()].reduce((sum, { hold }) => sum + heldFreedom(hold), 0);
  }

  private drop(which: (held: Held, id: number) => boolean): void {
    const kept = [...this.held].filter(([id, held]) => !which(held, id));
    if (kept.length === this.held.size) return;
    this.held = new Map(kept);
    this.update();
  }

  /** Leaves all as it was where the change is not possible. */
  private attempt(change: (held: Map<number, Held>) => void): void {
    const before = new Map(this.held);
    change(this.held);
    try {
      if (this.freedom() > this.room) throw new Error(this.noRoom(before));
      this.update();
    } catch (error) {
      this.held = before;
      throw error;
    }
  }

  private noRoom(before: ReadonlyMap<number, Held>): string {
    const used = [...before.values()].reduce((sum, { hold }) => sum + heldFreedom(hold), 0);
    return `The handles hold ${used} of the body's ${this.room} degrees of freedom: there is no room for more. Remove one, or let one hold less.`;
  }

  private update(): void {
    const handles = [...this.held.values()].map(({ vertex, hold, given }): Handle => ({
      vertex,
      ...(holdsPosition(hold) ? { position: given.position } : {}),
      ...(holdsOrientation(hold) ? { rotation: given.rotation } : {}),
    }));
    this.body.setHandles(handles, this.priority);
  }
}
