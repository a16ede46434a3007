// Plays a clip on the stage.

import { ClipClock } from './clip_clock';
import type { ClipPart, DrawnClip } from './stage/drawn_clip';
import type { Stage } from './stage/stage';

/** What the page shows of it. */
export interface ClipState {
  readonly name: string;
  /** s */
  readonly length: number;
  /** s from the start. */
  readonly time: number;
  readonly paused: boolean;
  /** Share of real time. */
  readonly speed: number;
  /** What can be played of the file, by name, and which of them does. */
  readonly parts: readonly string[];
  readonly part: number;
}

export type ClipChange = Partial<Pick<ClipState, 'time' | 'paused' | 'speed' | 'part'>>;

/** What is played. */
interface Shown {
  readonly name: string;
  readonly clip: DrawnClip;
  part: ClipPart;
  clock: ClipClock;
}

export class ClipPlayer {
  private shown_: Shown | null = null;
  /** s of the wall clock, of the last call of `advance`. */
  private last_: number | null = null;

  constructor(private readonly stage_: Pick<Stage, 'setClip' | 'moveClip'>) {}

  /** null: there is none. */
  get state(): ClipState | null {
    if (!this.shown_) return null;
    const { name, clip, part, clock } = this.shown_;
    const { length, time, paused, speed } = clock;
    const parts = clip.parts.map((one) => one.name);
    return { name, length, time, paused, speed, parts, part: clip.parts.indexOf(part) };
  }

  /** The one that is shown; null: there is none. */
  get clip(): DrawnClip | null {
    return this.shown_?.clip ?? null;
  }

  show(clip: DrawnClip, name: string): void {
    const part = clip.parts[0]!;
    this.shown_ = { name, clip, part, clock: new ClipClock(part.length, part.frames) };
    this.last_ = null;
    this.stage_.setClip(clip);
  }

  close(): void {
    if (!this.shown_) return;
    this.shown_ = null;
    this.stage_.setClip(null);
  }

  /** Lets time pass until `now`, s of the wall clock. Returns whether there is another picture. */
  advance(now: number): boolean {
    const passed = now - (this.last_ ?? now);
    this.last_ = now;
    if (!this.shown_?.clock.advance(passed)) return false;
    this.stage_.moveClip(this.shown_.clock.time);
    return true;
  }

  /** Throws for values that it cannot take. */
  change({ time, paused, speed, part }: ClipChange): void {
    const { shown_: shown } = this;
    if (!shown) return;
    if (part !== undefined) this.choose_(shown, part);
    if (speed !== undefined) shown.clock.speed = speed;
    if (paused !== undefined) shown.clock.paused = paused;
    if (time !== undefined) shown.clock.seek(time);
    this.stage_.moveClip(shown.clock.time);
  }

  step(): void {
    this.shown_?.clock.step();
    this.change({});
  }

  private choose_(shown: Shown, number: number): void {
    const part = shown.clip.parts[number];
    if (!part) throw new Error(`Part: expected 0 to ${shown.clip.parts.length - 1}, found ${number}`);
    if (part === shown.part) return;
    const { paused } = shown.clock;
    shown.part = part;
    shown.clock = new ClipClock(part.length, part.frames);
    shown.clock.paused = paused;
    shown.clip.play(part);
  }
}
