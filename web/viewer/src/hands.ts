import type { Vector3 } from '../../runtime/src/types';
import type { ActivePull } from './protocol';
import type { RuntimeBody } from './runtime_body';

interface Hold {
  readonly vertex: number;
  /** Where the vertex was when it was grabbed. */
  readonly start: Vector3;
  /** N/m, the body's own at the vertex. */
  ownStiffness: number;
  /** In multiples of it. */
  strength: number;
  target: Vector3;
}

/** Whether a spring in proportion can pull: a vertex that is held has no end of stiffness, one that moves only rigidly none. */
function resists(stiffness: number): boolean {
  return stiffness > 0 && Number.isFinite(stiffness);
}

/** The pulls at a body, one per id: a mouse has one, fingers have one each. */
export class Hands {
  private readonly holds = new Map<number, Hold>();

  constructor(private readonly body: RuntimeBody) {}

  /** How far the targets are from where their vertices were grabbed, m, together. */
  get reach(): number {
    let sum = 0;
    for (const { start, target } of this.holds.values()) {
      sum += Math.hypot(target[0] - start[0], target[1] - start[1], target[2] - start[2]);
    }
    return sum;
  }

  has(id: number): boolean {
    return this.holds.has(id);
  }

  /** Where a vertex is, which is held there from now on; null: it cannot be pulled. */
  grab(id: number, vertex: number, strength: number): Vector3 | null {
    const ownStiffness = this.body.stiffnessAt(vertex);
    if (!resists(ownStiffness)) return null;
    const point = this.body.position(vertex);
    this.holds.set(id, { vertex, start: point, ownStiffness, strength, target: point });
    this.update();
    return point;
  }

  /** A pull that has ended meanwhile is not missed: the page learns of it a frame later. */
  drag(id: number, target: Vector3): void {
    const hold = this.holds.get(id);
    if (!hold) return;
    hold.target = target;
    this.update();
  }

  release(id: number): void {
    if (this.holds.delete(id)) this.update();
  }

  releaseAll(): void {
    if (this.holds.size === 0) return;
    this.holds.clear();
    this.update();
  }

  setStrength(strength: number): void {
    if (this.holds.size === 0) return;
    for (const hold of this.holds.values()) hold.strength = strength;
    this.update();
  }

  /** After a change of material or rank. A vertex that can no longer be pulled is let go. */
  refresh(): void {
    if (this.holds.size === 0) return;
    for (const [id, hold] of this.holds) {
      hold.ownStiffness = this.body.stiffnessAt(hold.vertex);
      if (!resists(hold.ownStiffness)) this.holds.delete(id);
    }
    this.update();
  }

  /** As they act now. */
  pulls(): ActivePull[] {
    return [...this.holds].map(([id, { vertex, target }], index) => ({
      id,
      vertex,
      point: this.body.position(vertex),
      target,
      force: this.body.springForce(index),
    }));
  }

  private update(): void {
    this.body.setSprings(
      [...this.holds.values()].map(({ vertex, target, ownStiffness, strength }) => ({
        vertex,
        target,
        stiffness: strength * ownStiffness,
      })),
    );
  }
}
