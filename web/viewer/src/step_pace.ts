import { Meter } from './meter';
import type { WorldSettings } from './protocol';

/** s of the wall clock that one run may compute for, but for the last batch of steps. */
const budget = 0.012;
/** s of computing that a batch of steps is meant to take; the clock is looked at between batches. */
const batchSeconds = 0.002;
const largestBatch = 256;
/** s. What a run missed beyond this (a laptop that slept) is not caught up with. */
export const longestPause = 0.1;

/** Takes the steps that become due by the wall clock times the speed, as many as the machine can, and measures how many. */
export class StepPace {
  /** s of the world that have passed and are not simulated yet. */
  private due = 0;
  private readonly stepMeter = new Meter();
  private readonly speedMeter = new Meter();

  /** clock: wall-clock seconds, from any origin. */
  constructor(private readonly clock: () => number) {}

  /** Steps per second of computing. */
  get stepRate(): number {
    return this.stepMeter.rate;
  }

  /** Seconds of the world per second of the wall clock. */
  get speed(): number {
    return this.speedMeter.rate;
  }

  /** The world begins anew. */
  clear(): void {
    this.due = 0;
  }

  /** The speed is another one from now on. */
  clearSpeed(): void {
    this.speedMeter.clear();
  }

  /**
   * `elapsed` s of the wall clock have passed. `advance` takes that many steps of all bodies, and says whether to go on. Returns whether
   * steps were left out because the budget was spent.
   */
  run(elapsed: number, { timeStep, speed }: WorldSettings, advance: (count: number) => boolean): boolean {
    this.due += Math.min(elapsed, longestPause) * speed;
    let whole = Math.floor(this.due / timeStep + 1e-9); // 10 x 0.1 is one whole
    this.due = Math.max(this.due - whole * timeStep, 0);
    const start = this.clock();
    let taken = 0;
    while (whole > 0) {
      const wanted = Math.min(whole, this.batch());
      const goOn = advance(wanted);
      taken += wanted;
      whole -= wanted;
      if (!goOn || this.clock() - start >= budget) break;
    }
    if (taken > 0) this.stepMeter.add(taken, this.clock() - start);
    this.speedMeter.add(taken * timeStep, Math.min(elapsed, 1));
    if (whole > 0) this.due = 0;
    return whole > 0;
  }

  private batch(): number {
    return Math.min(Math.max(Math.floor(batchSeconds * this.stepMeter.rate), 1), largestBatch);
  }
}
