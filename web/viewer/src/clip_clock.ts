// The time of a clip that plays in a loop. No three here.

/** s that pass at most between two pictures: a page that nobody saw for a while goes on from where it was. */
const longestPause = 0.25;
/** s that a loop takes at least at first: what is shorter is played slowly. */
const shortestLoop = 2;
/** Whether an animation is meant to be seen in real time, s. */
const realTime = 1;

/** What a clip may be slowed down or sped up to. */
export const clipSpeeds: readonly number[] = [
  4,
  2,
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((divisor) => 1 / divisor),
];

/** Real time, but for clips of less than a second: those are slowed down until a loop takes two. */
export function suitableClipSpeed(length: number): number {
  if (!(length > 0) || length >= realTime) return 1;
  return clipSpeeds.find((speed) => length / speed >= shortestLoop) ?? clipSpeeds.at(-1)!;
}

export class ClipClock {
  /** s from the start of the clip, 0 to `length`. */
  private time_ = 0;
  paused = false;
  private speed_: number;

  /** length: s; frames: times of its frames, s, ascending. */
  constructor(
    readonly length: number,
    private readonly frames_: Iterable<number>,
  ) {
    this.speed_ = suitableClipSpeed(length);
  }

  get time(): number {
    return this.time_;
  }

  /** Share of real time. */
  get speed(): number {
    return this.speed_;
  }

  /** Throws for what is no speed. */
  set speed(speed: number) {
    if (!(speed >= 1e-5 && speed <= 100)) throw new Error(`Speed: expected 0.00001 to 100, found ${speed}`);
    this.speed_ = speed;
  }

  /** Lets seconds of the wall clock pass; behind the end it begins again. Returns whether the time has changed. */
  advance(seconds: number): boolean {
    if (this.paused || !(this.length > 0) || !(seconds > 0)) return false;
    const next = this.time_ + Math.min(seconds, longestPause) * this.speed_;
    this.time_ = next > this.length ? next % this.length : next;
    return true;
  }

  /** Times beyond the ends give the ends. */
  seek(time: number): void {
    this.time_ = Math.min(Math.max(Number.isNaN(time) ? 0 : time, 0), this.length);
  }

  /** Pauses at the next frame; after the last one comes the first. */
  step(): void {
    this.paused = true;
    const after = this.time_ + 1e-6 * this.length; // times of frames are floats
    for (const frame of this.frames_) {
      if (frame <= after) continue;
      this.seek(frame);
      return;
    }
    this.seek(0);
  }
}
