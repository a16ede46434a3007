import type { SupportKey, Vector3 } from '../../runtime/src/types';
import { type Course, Glide } from './glide';
import type { Shake } from './protocol';

/** Of a cubic spline, which is within 4e-6 of the amplitude of a sine then. */
export const keysPerPeriod = 48;
/** In the half period in which the motion becomes another one. */
const rampKeys = keysPerPeriod / 2;
/** A spline that ends at rest is wrong by 0.27^k of a velocity, k keys away from its end: by 1e-9 at so many. */
export const marginKeys = 16;

const standing: Course = { value: 0, slope: 0, curvature: 0 };

type Amplitude = readonly [Glide, Glide, Glide];

/**
 * How what holds a body is shaken, over the time of the body:
 *
 *   p(t) = a(t) sin(2 pi phi(t)),   phi' = f,
 *
 * with an amplitude a, a vector, and a frequency f that glide to what is asked for within half a period of the faster frequency. So p
 * and its velocity and acceleration never jump: not when shaking begins, changes or ends. It begins with phi = 0, as t^4, and ends with
 * a = 0, as (t - end)^3 at least.
 */
export class SupportMotion {
  private constructor(
    /** s: it is as here from then on. */
    private readonly start: number,
    private readonly amplitude: Amplitude,
    private readonly frequency: Glide,
    /** Turns at the start. */
    private readonly phase: number,
  ) {}

  /** From rest, at the time `now`, s. */
  static begin(now: number, shake: Shake): SupportMotion {
    const duration = 0.5 / shake.frequency;
    const amplitude = glides(shake.amplitude, (to) => new Glide(now, duration, standing, to));
    return new SupportMotion(now, amplitude, new Glide(now, 0, standing, shake.frequency), 0);
  }

  /** The motion that goes on from this one at the time `now` to another shake; null: to rest. */
  changed(now: number, shake: Shake | null): SupportMotion {
    const frequency = shake?.frequency ?? this.frequency.to;
    const present = this.frequency.at(now);
    const duration = 0.5 / Math.max(present.value, frequency);
    const asked = shake?.amplitude ?? ([0, 0, 0] as const);
    const amplitude = glides(asked, (to, i) => new Glide(now, duration, this.amplitude[i].at(now), to));
    return new SupportMotion(
      now,
      amplitude,
      new Glide(now, duration, present, frequency),
      this.turns(now) % 1,
    );
  }

  /** s, from when on it is what was asked for. */
  get settled(): number {
    return this.amplitude[0].end;
  }

  /** Whether it ends when it has settled. */
  get ends(): boolean {
    return this.amplitude.every(({ to }) => to === 0);
  }

  /** s, of what is asked for. */
  get period(): number {
    return 1 / this.frequency.to;
  }

  /** m, from where the support was made; t: s, from the last change on. */
  position(t: number): Vector3 {
    const swing = Math.sin(2 * Math.PI * this.turns(t));
    const along = (glide: Glide): number => glide.at(t).value * swing + 0; // + 0: no negative zeros
    return [along(this.amplitude[0]), along(this.amplitude[1]), along(this.amplitude[2])];
  }

  /** s: of key n, which are numbered from the last change on. */
  keyTime(n: number): number {
    if (n < rampKeys) return this.start + (n / rampKeys) * (this.settled - this.start);
    return this.settled + ((n - rampKeys) * this.period) / keysPerPeriod;
  }

  /** The number of a key at t or later, s. */
  keyAfter(t: number): number {
    return rampKeys + Math.max(Math.ceil(((t - this.settled) * keysPerPeriod) / this.period), 0);
  }

  /** Keys from number `first` to number `last`; none after the end. */
  keys(first: number, last: number): SupportKey[] {
    const count = Math.min(last, this.ends ? rampKeys : last) - first + 1;
    return Array.from({ length: Math.max(count, 0) }, (_, i) => {
      const time = this.keyTime(first + i);
      return { time, position: this.position(time) };
    });
  }

  private turns(t: number): number {
    return this.phase + this.frequency.integral(t);
  }
}

function glides(asked: Vector3, make: (to: number, axis: 0 | 1 | 2) => Glide): Amplitude {
  return [make(asked[0], 0), make(asked[1], 1), make(asked[2], 2)];
}
