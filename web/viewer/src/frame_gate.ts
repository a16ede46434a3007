/** s between frames at least; and at most while the clock runs but nothing moves. */
const frameInterval = 1 / 75;
const stillInterval = 0.1;
/** Share of the body's size; a screen has some thousand pixels. */
const visible = 1e-6;

/** Says when the page needs a frame: not more often than screens show them, and seldom where nothing moves. */
export class FrameGate {
  private last = -Infinity;
  private shown = new Float32Array(0);
  private touched = true;

  /** size: of the body, m.  distance: no vertex moves by more between two lists of what frames hold. */
  constructor(
    private readonly scale: {
      readonly size: number;
      distance(a: Float32Array, b: Float32Array): number;
    },
  ) {}

  /** Something but the shape may have changed. */
  touch(): void {
    this.touched = true;
  }

  /** Whether a change waits to be shown. */
  get waiting(): boolean {
    return this.touched;
  }

  /** Whether a frame may be shown again. */
  due(now: number): boolean {
    return now - this.last >= frameInterval;
  }

  /** Whether it is time to show the coordinates q; true counts as shown. */
  passes(now: number, q: Float32Array, running: boolean): boolean {
    const since = now - this.last;
    if (!this.due(now)) return false;
    if (!this.touched && !this.moved(q) && !(running && since >= stillInterval)) return false;
    this.last = now;
    this.shown = q.slice();
    this.touched = false;
    return true;
  }

  /** Since the last frame, so that one could see it. */
  private moved(q: Float32Array): boolean {
    return q.length !== this.shown.length || this.scale.distance(q, this.shown) > visible * this.scale.size;
  }
}
