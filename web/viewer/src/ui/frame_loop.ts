// Calls a drawing function once per frame of the screen, and measures what it costs.

const KEPT = 240;

export class FrameLoop {
  private readonly times_: number[] = [];
  private next_ = 0;

  /** `draw` gets the time in s and returns whether it drew. */
  constructor(private readonly draw_: (now: number) => boolean) {}

  start(): void {
    requestAnimationFrame(this.frame_);
  }

  /** ms of JavaScript of the newest frames that were drawn, 240 at most, oldest first. */
  times(): number[] {
    return [...this.times_.slice(this.next_), ...this.times_.slice(0, this.next_)];
  }

  private readonly frame_ = (): void => {
    requestAnimationFrame(this.frame_);
    const start = performance.now();
    if (!this.draw_(start / 1000)) return;
    this.times_[this.next_] = performance.now() - start;
    this.next_ = (this.next_ + 1) % KEPT;
  };
}
