import { Quaternion, Vector3 as Vector } from 'three';
import type { Vector3 } from '../../runtime/src/types';
import type { Frame } from './protocol';

/** A force on a point of the rest shape. */
interface PointForce {
  /** m */
  readonly at: Vector3;
  /** N */
  readonly force: Vector3;
}

/** What was kept last of a pull. */
interface Trace {
  readonly vertex: number;
  force: Vector3;
  /** N, of the largest force of this pull so far: what is large at a stiff place is not at a soft one. */
  largest: number;
}

/** Share of the largest force of a pull by which a force differs from the last one that was kept. */
const separation = 0.03;
const mostForces = 20_000;

/**
 * Records the forces with which a person pulls at the linear model, for `limber reduce --sketch`: a basis is then made from the
 * shapes that they have in the full nonlinear model.                        [Barbic & James 2005, section 5.2]
 */
export class SketchRecorder {
  private readonly forces: PointForce[] = [];
  private traces = new Map<number, Trace>();

  get count(): number {
    return this.forces.length;
  }

  /** Whether it takes no more. */
  get full(): boolean {
    return this.forces.length >= mostForces;
  }

  clear(): void {
    this.forces.length = 0;
    this.traces.clear();
  }

  /**
   * Keeps the forces of a frame that differ enough from the last ones; each pull is a point force of its own.
   * restPositions: 3 n, of the surface. Returns whether the sketch has just become full.
   */
  add(frame: Frame, restPositions: Float32Array): boolean {
    const wasFull = this.full;
    const traces = new Map<number, Trace>();
    for (const { id, vertex, force: pull } of frame.pulls) {
      const force = turnedBack(pull, frame.pose);
      const before = this.traces.get(id);
      const trace: Trace = before?.vertex === vertex ? before : { vertex, force: [0, 0, 0], largest: 0 };
      traces.set(id, trace);
      const at = restPosition(restPositions, vertex);
      if (!at || !force.every((f) => Number.isFinite(f))) continue;
      trace.largest = Math.max(trace.largest, Math.hypot(...force));
      if (distance(force, trace.force) <= separation * trace.largest || this.full) continue;
      trace.force = force;
      this.forces.push({ at, force });
    }
    this.traces = traces;
    return this.full && !wasFull;
  }

  /** The file's text. Throws where nothing was recorded: `limber reduce` takes no empty sketch. */
  encode(): string {
    if (this.count === 0) throw new Error('Nothing was recorded; pull at the body while recording.');
    const lines = this.forces.map(({ at, force }) => `  {"at": ${list(at)}, "force": ${list(force)}}`);
    return `{"format": "limber sketch", "version": 1, "forces": [\n${lines.join(',\n')}\n]}\n`;
  }
}

/** A force in the axes of the rest shape, for a body in a pose. */
function turnedBack(force: Vector3, [, , , ...rotation]: readonly number[]): Vector3 {
  if (rotation.length === 0) return force;
  return new Vector(...force).applyQuaternion(new Quaternion(...rotation).conjugate()).toArray();
}

function restPosition(positions: Float32Array, vertex: number): Vector3 | null {
  const [x, y, z] = positions.subarray(3 * vertex, 3 * vertex + 3);
  return x === undefined || y === undefined || z === undefined ? null : [x, y, z];
}

function distance(a: Vector3, b: Vector3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function list(v: Vector3): string {
  return `[${v.map(number).join(', ')}]`;
}

/**
 * 9 digits, which tell any two single-precision numbers apart. JavaScript writes large numbers as integers up to 1e21, and JSON
 * readers take integers of 64 bits at most.
 */
function number(value: number): string {
  const rounded = Number(value.toPrecision(9));
  if (rounded === 0) return '0';
  return Math.abs(rounded) >= 1e15 ? rounded.toExponential() : String(rounded);
}
