// What fingers and mice mean: pulls of the body, handles in the hand and motions of the camera. Knows nothing of the page; it is told of
// pointers by plain records, in pixels of the canvas.

import type { Vector3 } from '../../runtime/src/types';
import type { GripPart } from './handle_grip';

export interface PointerRecord {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly touch: boolean;
  /** As in the DOM: 0 left, 1 middle, 2 right. */
  readonly button: number;
  /** Shift: pan instead. */
  readonly pan: boolean;
  /** Alt or space: orbit, on the body too. */
  readonly orbit: boolean;
  /** ms */
  readonly time: number;
}

export type Cursor = 'grab' | 'grabbing' | 'move';

/** A handle in the hand, by one of its parts; or the tool ball. */
export interface Grip {
  /** null: it is the tool ball. */
  readonly handle: number | null;
  readonly part: GripPart;
  /** The pointer is at this pixel. */
  move(x: number, y: number): void;
}

/** Where gestures go. */
export interface GestureTarget {
  /** Asks for the point of the body under a pixel; it is then pulled, until released. Null: the pixel is beside the body. */
  grab(pull: number, x: number, y: number): Promise<Vector3 | null>;
  /** Moves the target of a pull to a pixel, in the plane of the screen through the grabbed point. */
  drag(pull: number, x: number, y: number, through: Vector3): void;
  release(pull: number): void;
  /** The part of a handle under a pixel, or for a wide finger near it; null: none. */
  grip(x: number, y: number, touch: boolean): Grip | null;
  /** Whether a pointer that comes down on the body makes a handle now, instead of a pull. */
  readonly pinning: boolean;
  /** Makes a handle with this number under a pixel. Null: the pixel is beside the body, or no handle can be there. */
  pin(handle: number, x: number, y: number): Promise<Grip | null>;
  removeHandle(handle: number): void;
  /** Pixels. */
  orbit(dx: number, dy: number): void;
  /** Pixels. */
  pan(dx: number, dy: number): void;
  /** Brings what is under a pixel closer by `factor`, above 1, or takes it away, below 1. */
  zoom(factor: number, x: number, y: number): void;
  /** Shows the whole body. */
  frame(): void;
  cursor(cursor: Cursor): void;
}

type Mode = 'asking' | 'pull' | 'grip' | 'orbit' | 'pan';

interface Pointer {
  mode: Mode;
  readonly touch: boolean;
  readonly pull: number;
  readonly startX: number;
  readonly startY: number;
  x: number;
  y: number;
  /** Further than a finger trembles. */
  moved: boolean;
  /** ms when it was lifted, which may be before the answer to its question; Infinity: cancelled. */
  lifted: number | null;
  /** Grabbed point of a pull. */
  point: Vector3 | null;
  grip: Grip | null;
}

/** Pixels that a finger trembles by. */
const TAP_RADIUS = 6;
/** ms between two taps of a double tap. */
const TAP_INTERVAL = 350;

/** The last tap: where, when, and on the ball of which handle. */
interface Tap {
  readonly x: number;
  readonly y: number;
  readonly time: number;
  readonly handle: number | null;
}

const noTap: Tap = { x: 0, y: 0, time: -Infinity, handle: null };

export class Gestures {
  private readonly pointers_ = new Map<number, Pointer>();
  private nextPull_ = 1;
  private lastTap_: Tap = noTap;

  constructor(private readonly target_: GestureTarget) {}

  /** Whether a pointer is down. */
  get active(): boolean {
    return this.pointers_.size > 0;
  }

  down(record: PointerRecord): void {
    if (this.pointers_.has(record.id)) this.cancel(record.id);
    const { x, y, touch } = record;
    const mode = this.modeOf_(record);
    const grip = mode === 'asking' ? this.target_.grip(x, y, touch) : null;
    const pointer: Pointer = {
      mode: grip ? 'grip' : mode,
      touch,
      pull: this.nextPull_++,
      startX: x,
      startY: y,
      x,
      y,
      moved: false,
      lifted: null,
      point: null,
      grip,
    };
    this.pointers_.set(record.id, pointer);
    if (pointer.mode === 'asking') void this.ask_(pointer);
    this.showCursor_();
  }

  move(record: Pick<PointerRecord, 'id' | 'x' | 'y'>): void {
    const pointer = this.pointers_.get(record.id);
    if (!pointer) return;
    const [fromX, fromY] = [pointer.x, pointer.y];
    pointer.x = record.x;
    pointer.y = record.y;
    pointer.moved ||= Math.hypot(pointer.x - pointer.startX, pointer.y - pointer.startY) > TAP_RADIUS;
    const partner = this.partner_(pointer);
    if (partner) this.pinch_(fromX, fromY, pointer, partner);
    else this.apply_(pointer, fromX, fromY);
  }

  up(record: Pick<PointerRecord, 'id' | 'time'>): void {
    const pointer = this.pointers_.get(record.id);
    if (!pointer) return;
    // The end of a pinch is no tap, whichever finger is lifted first.
    const partner = this.partner_(pointer);
    if (partner) partner.moved = pointer.moved = true;
    pointer.lifted = record.time;
    this.pointers_.delete(record.id);
    if (pointer.mode === 'pull') this.target_.release(pointer.pull);
    if (pointer.mode === 'orbit' || pointer.mode === 'grip') this.tap_(pointer);
    this.showCursor_();
  }

  /** The pointer was taken away: nothing that it began goes on. */
  cancel(id: number): void {
    this.up({ id, time: Infinity });
  }

  cancelAll(): void {
    for (const id of [...this.pointers_.keys()]) this.cancel(id);
  }

  /** A wheel's turn by `delta` pixels; `fine`: a pinch on a touch pad, whose steps are smaller. */
  wheel(x: number, y: number, delta: number, fine: boolean): void {
    const limited = Math.max(-240, Math.min(240, delta));
    this.target_.zoom(Math.exp(-limited * (fine ? 0.01 : 0.0016)), x, y);
  }

  private modeOf_(record: PointerRecord): Mode {
    if (record.button === 1 || record.button === 2 || record.pan) return 'pan';
    // A finger beside the body already moves the camera: a second one pinches, wherever it lands.
    const others = [...this.pointers_.values()];
    if (record.touch && others.some((other) => other.touch && other.mode === 'orbit')) return 'orbit';
    return record.orbit ? 'orbit' : 'asking';
  }

  private async ask_(pointer: Pointer): Promise<void> {
    if (this.target_.pinning) {
      pointer.grip = await this.target_.pin(pointer.pull, pointer.x, pointer.y).catch(() => null);
      pointer.mode = pointer.grip ? 'grip' : 'orbit';
      pointer.moved ||= pointer.grip !== null; // the click that makes a handle is no tap on it
    } else {
      pointer.point = await this.target_.grab(pointer.pull, pointer.x, pointer.y).catch(() => null);
      pointer.mode = pointer.point ? 'pull' : 'orbit';
    }
    if (pointer.lifted !== null) {
      if (pointer.mode === 'pull') this.target_.release(pointer.pull);
      else this.tap_(pointer);
    } else if (pointer.x !== pointer.startX || pointer.y !== pointer.startY) {
      this.apply_(pointer, pointer.startX, pointer.startY);
    }
    this.showCursor_();
  }

  /** The other finger of a pinch. */
  private partner_(pointer: Pointer): Pointer | null {
    if (!pointer.touch || pointer.mode !== 'orbit') return null;
    for (const other of this.pointers_.values()) {
      if (other !== pointer && other.touch && other.mode === 'orbit') return other;
    }
    return null;
  }

  private apply_(pointer: Pointer, fromX: number, fromY: number): void {
    const [dx, dy] = [pointer.x - fromX, pointer.y - fromY];
    if (pointer.mode === 'pull') this.target_.drag(pointer.pull, pointer.x, pointer.y, pointer.point!);
    else if (pointer.mode === 'grip') pointer.grip!.move(pointer.x, pointer.y);
    else if (pointer.mode === 'orbit') this.target_.orbit(dx, dy);
    else if (pointer.mode === 'pan') this.target_.pan(dx, dy);
  }

  /** One finger of two moved: their middle pans, their distance zooms about the middle. */
  private pinch_(fromX: number, fromY: number, moved: Pointer, other: Pointer): void {
    this.target_.pan((moved.x - fromX) / 2, (moved.y - fromY) / 2);
    const before = Math.hypot(fromX - other.x, fromY - other.y);
    const after = Math.hypot(moved.x - other.x, moved.y - other.y);
    if (before < 1 || after < 1) return;
    this.target_.zoom(after / before, (moved.x + other.x) / 2, (moved.y + other.y) / 2);
  }

  /** Two taps beside the body show all of it; on the ball of a handle they remove that; on its rings they mean nothing. */
  private tap_(pointer: Pointer): void {
    const time = pointer.lifted!;
    if (pointer.moved || time === Infinity) return;
    const last = this.lastTap_;
    this.lastTap_ = noTap;
    if (pointer.grip && (pointer.grip.part !== 'ball' || pointer.grip.handle === null)) return;
    const handle = pointer.grip?.handle ?? null;
    const near = Math.hypot(pointer.x - last.x, pointer.y - last.y) < 4 * TAP_RADIUS;
    if (near && time - last.time < TAP_INTERVAL && handle === last.handle) {
      if (handle === null) this.target_.frame();
      else this.target_.removeHandle(handle);
    } else {
      this.lastTap_ = { x: pointer.x, y: pointer.y, time, handle };
    }
  }

  private showCursor_(): void {
    const modes = [...this.pointers_.values()].map((pointer) => pointer.mode);
    this.target_.cursor(modes.length === 0 ? 'grab' : modes.includes('pan') ? 'move' : 'grabbing');
  }
}
