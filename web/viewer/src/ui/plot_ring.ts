// The samples of a live plot: the newest few seconds, in a ring that never grows.

/** Longer gaps are pauses: they take no room on the time axis. s */
const LONGEST_GAP = 0.25;

export class PlotRing {
  /** s on the ring's own clock, which stands still during pauses. */
  private readonly times_: Float64Array;
  private readonly values_: Float64Array;
  private first_ = 0;
  private count_ = 0;
  private clock_ = 0;
  private lastPush_ = NaN;

  /**
   * `span` s of `series` values each. Samples that come sooner than `interval` s after the one before are left out, so
   * that span / interval samples are enough.
   */
  constructor(
    readonly series: number,
    readonly span: number,
    readonly interval: number,
  ) {
    this.times_ = new Float64Array(Math.ceil(span / interval) + 2);
    this.values_ = new Float64Array(this.times_.length * series);
  }

  get length(): number {
    return this.count_;
  }

  /** Adds a sample taken at `now`, s of the wall clock. Returns whether it was taken. */
  push(now: number, values: readonly number[]): boolean {
    const passed = now - this.lastPush_;
    if (passed >= 0 && passed < this.interval * 0.999) return false;
    if (passed > 0) this.clock_ += Math.min(passed, LONGEST_GAP);
    this.lastPush_ = now;
    const capacity = this.times_.length;
    if (this.count_ === capacity) {
      this.first_ = (this.first_ + 1) % capacity;
      this.count_--;
    }
    const slot = (this.first_ + this.count_++) % capacity;
    this.times_[slot] = this.clock_;
    for (let i = 0; i < this.series; ++i) this.values_[slot * this.series + i] = values[i] ?? NaN;
    while (this.clock_ - this.times_[this.first_]! > this.span) {
      this.first_ = (this.first_ + 1) % capacity;
      this.count_--;
    }
    return true;
  }

  /** s before the newest sample; the oldest is at index 0. */
  age(index: number): number {
    return this.clock_ - this.times_[(this.first_ + index) % this.times_.length]!;
  }

  value(index: number, series: number): number {
    return this.values_[((this.first_ + index) % this.times_.length) * this.series + series]!;
  }

  /** The largest finite value of all series, at least 0. */
  largest(): number {
    let largest = 0;
    for (let i = 0; i < this.count_; ++i) {
      for (let s = 0; s < this.series; ++s) {
        const value = this.value(i, s);
        if (value > largest && value < Infinity) largest = value;
      }
    }
    return largest;
  }

  clear(): void {
    this.first_ = this.count_ = this.clock_ = 0;
    this.lastPush_ = NaN;
  }
}

/** The least of 1, 2, 5 times a power of ten that is not below `value`; 1 for nothing. */
export function niceCeiling(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  for (const factor of [1, 2, 5]) if (value <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

/**
 * The top of an axis for values up to `largest`. It stays at `top` while that suits, so that it does not flicker where the
 * values hover about a round number.
 */
export function axisTop(top: number, largest: number): number {
  return largest <= top && largest > top * 0.35 ? top : niceCeiling(largest * 1.05);
}
