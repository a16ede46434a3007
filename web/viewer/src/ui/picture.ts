// The picture of the bodies: when a new one is worth drawing, and whether they come fast enough.

import type { ActiveHandle, Frame } from '../protocol';
import { SlowFrames } from '../stage/quality';
import type { Stage } from '../stage/stage';
import { sameNumbers } from '../turning';

/** Share of the largest coordinate drawn; a screen has some thousand pixels. */
const VISIBLE = 1e-6;
/** s after which even what nobody sees is drawn, so that a body at rest is shown as it is. */
const SETTLE = 0.5;

/** Compares frames of a body with the one in the picture. */
export class PictureGate {
  private drawn_: Frame | null = null;
  private drawnAt_ = -Infinity;
  private largest_ = 0;

  /** Whether this frame needs another picture; `now` in s. */
  needs(frame: Frame, now: number): boolean {
    const drawn = this.drawn_;
    if (frame === drawn) return false;
    if (drawn?.q.length !== frame.q.length || frame.pulls.length > 0 || drawn.pulls.length > 0) return true;
    if (frame.warped !== drawn.warped || !sameNumbers(frame.pose, drawn.pose)) return true;
    if (!sameHandles(frame.handles, drawn.handles)) return true;
    const seen = VISIBLE * this.largest_;
    let change = 0;
    for (let i = 0; i < frame.q.length && change <= seen; ++i) {
      change = Math.max(change, Math.abs(frame.q[i]! - drawn.q[i]!));
    }
    return change > seen || (change > 0 && now - this.drawnAt_ >= SETTLE);
  }

  /** This frame was drawn. */
  drew(frame: Frame, now: number): void {
    this.drawn_ = frame;
    this.drawnAt_ = now;
    for (const q of frame.q) this.largest_ = Math.max(this.largest_, Math.abs(q));
  }
}

/** Whether handles look alike. Their vertices move with the body. */
function sameHandles(a: readonly ActiveHandle[], b: readonly ActiveHandle[]): boolean {
  return (
    a.length === b.length &&
    a.every((handle, i) => {
      const other = b[i]!;
      return (
        handle.id === other.id &&
        handle.hold === other.hold &&
        sameNumbers(handle.target, other.target) &&
        sameNumbers(handle.rotation, other.rotation)
      );
    })
  );
}

/**
 * Watches how fast pictures follow each other while the screen asks for one after the other. What lies between others is no
 * matter of the device: a body near rest needs few.
 */
export class PicturePace {
  private readonly slow_ = new SlowFrames();
  private drewLast_ = false;
  private last_ = 0;
  /** s that pictures in a row took, all together. */
  private time_ = 0;

  /** The screen asked for a picture at `now`, s; `drew`: it got one. True when pictures have been too slow. */
  add(now: number, drew: boolean): boolean {
    const inRow = drew && this.drewLast_;
    if (inRow) this.time_ += now - this.last_;
    this.drewLast_ = drew;
    this.last_ = now;
    return inRow && this.slow_.add(this.time_);
  }
}

/** What a picture needs of the stage. */
export type Painter = Pick<Stage, 'busy' | 'render' | 'setQuality'>;

/** The picture of the bodies: drawn where it would differ from the last one, and lighter where it may and must. */
export class Picture {
  /** One for each body, in their order. */
  private gates_: PictureGate[] = [];
  private readonly pace_ = new PicturePace();
  private stale_ = true;

  /** adapt: whether it may become lighter where it is slow. */
  constructor(
    private readonly painter_: Painter,
    private readonly adapt_: boolean,
  ) {}

  /** Something but the bodies' motion changed it. */
  invalidate(): void {
    this.stale_ = true;
  }

  /** Other bodies, or none. */
  clear(): void {
    this.gates_ = [];
    this.stale_ = true;
  }

  /** The screen asks at `now`, s, for these frames of bodies, null: the rest shape. Returns whether it drew. */
  draw(frames: readonly (Frame | null)[], now: number): boolean {
    while (this.gates_.length < frames.length) this.gates_.push(new PictureGate());
    const drawing =
      this.stale_ ||
      this.painter_.busy ||
      frames.some((frame, i) => frame !== null && this.gates_[i]!.needs(frame, now));
    if (drawing) {
      this.stale_ = false;
      this.painter_.render();
      frames.forEach((frame, i) => {
        if (frame) this.gates_[i]!.drew(frame, now);
      });
    }
    if (this.pace_.add(now, drawing) && this.adapt_) this.painter_.setQuality('light');
    return drawing;
  }
}
