/** A number with how it changes by time: per s and per s^2. */
export interface Course {
  readonly value: number;
  readonly slope: number;
  readonly curvature: number;
}

/**
 * A number that goes from how it is and changes now to another one, and stays there. With x = (t - start) / duration from 0 to 1 it is
 * the polynomial sum_k c_k x^k of degree five that has value, slope and curvature of `from` at 0, and `to`, 0 and 0 at 1: whatever
 * follows it, and whatever it follows, all three are continuous.
 */
export class Glide {
  readonly end: number;
  private readonly c: readonly number[];

  /** start, duration: s; none: it is there at once. */
  constructor(
    private readonly start: number,
    private readonly duration: number,
    from: Course,
    readonly to: number,
  ) {
    this.end = start + duration;
    const slope = from.slope * duration;
    const curvature = from.curvature * duration ** 2;
    const way = to - from.value;
    this.c = [
      from.value,
      slope,
      curvature / 2,
      10 * way - 6 * slope - 1.5 * curvature,
      -15 * way + 8 * slope + 1.5 * curvature,
      6 * way - 3 * slope - 0.5 * curvature,
    ];
  }

  /** At a time t, s, from the start on. */
  at(t: number): Course {
    if (t >= this.end || this.duration === 0) return { value: this.to, slope: 0, curvature: 0 };
    const x = Math.max(t - this.start, 0) / this.duration;
    const [c0, c1, c2, c3, c4, c5] = this.c as readonly [number, number, number, number, number, number];
    return {
      value: c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5)))),
      slope: (c1 + x * (2 * c2 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / this.duration,
      curvature: (2 * c2 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / this.duration ** 2,
    };
  }

  /** Of the value, from the start to a time t after it, s. */
  integral(t: number): number {
    const x = this.duration > 0 ? Math.min((t - this.start) / this.duration, 1) : 0;
    const gliding = this.c.reduceRight((sum, c, k) => x * (sum + c / (k + 1)), 0);
    return this.duration * gliding + this.to * Math.max(t - this.end, 0);
  }
}
