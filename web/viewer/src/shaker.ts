import type { SupportKey, Vector3 } from '../../runtime/src/types';
import type { Shake } from './protocol';
import type { RuntimeBody } from './runtime_body';
import { keysPerPeriod, marginKeys, SupportMotion } from './support_motion';

/** Periods that the body is told in advance: it need not be told often. */
const periodsAhead = 8;
/** Keys that the body is told at a time, but for a single step that needs more. */
const mostKeys = 2048;
/** Steps before and after each one whose poses the body asks for; it may take one more than it was to, after one that failed. */
const stepsAround = 4;
/** Periods for which the support rests before it is taken away: bodies that are carried are made anew without it. */
const restPeriods = 2;

/**
 * Shakes what holds a body. The body is told keys of the motion: those of the recent past, which it has seen, and those of the next few
 * periods. Times are the body's own, s.
 */
export class Shaker {
  private motion: SupportMotion | null = null;
  private keys: readonly SupportKey[] = [];
  /** Number of the newest key, in the motion. */
  private last = 0;

  constructor(private readonly body: Pick<RuntimeBody, 'setSupport'>) {}

  /** Whether the body has a support that moves, or has done so lately. */
  get active(): boolean {
    return this.motion !== null;
  }

  /** Where the support is, m from where it was made; null: it stands there. */
  position(now: number): Vector3 | null {
    return this.motion?.position(now) ?? null;
  }

  /** From now on; null: it comes to rest. h: time step, s. */
  change(now: number, h: number, shake: Shake | null): void {
    const { motion } = this;
    if (!motion || this.atRest(motion, now, h)) {
      if (shake) this.start(SupportMotion.begin(now, shake), []);
    } else if (shake || !motion.ends) {
      const next = motion.changed(now, shake);
      const apart = (next.keyTime(1) - now) / 4; // keys that are nearer to each other say little
      const seen = this.recent(motion, now, h).filter(({ time }) => time < now - apart);
      this.start(next, seen);
    }
  }

  /** Before `count` steps of h seconds. Returns how many of them may be taken before it is to be called again. */
  prepare(now: number, h: number, count: number): number {
    const { motion } = this;
    if (!motion) return count;
    if (motion.ends) {
      if (this.atRest(motion, now - restPeriods * motion.period, h)) this.stop();
      return count;
    }
    const needed = (steps: number): number =>
      motion.keyAfter(now + (steps + stepsAround) * h) + marginKeys + 1;
    if (this.last < needed(count)) {
      const most = Math.max(needed(1), needed(0) + mostKeys);
      const last = Math.min(needed(count) + periodsAhead * keysPerPeriod, most);
      if (last > this.last) this.tell(motion, this.recent(motion, now, h), this.last + 1, last);
    }
    const known = (motion.keyTime(this.last - marginKeys) - now) / h - stepsAround;
    return Math.max(Math.min(Math.floor(known), count), 1);
  }

  /** At once: for a body that is put to rest. */
  stop(): void {
    if (this.motion) this.body.setSupport(null);
    this.motion = null;
    this.keys = [];
  }

  /** Whether it has ended, and the body no longer asks for when it moved. */
  private atRest(motion: SupportMotion, now: number, h: number): boolean {
    return motion.ends && now > motion.settled + stepsAround * h;
  }

  /** Keys that the body still asks for, with a period before, for longer steps to come. */
  private recent({ period }: SupportMotion, now: number, h: number): readonly SupportKey[] {
    const from = now - stepsAround * h - period;
    const older = this.keys.filter(({ time }) => time < from).length;
    return this.keys.slice(Math.max(older - marginKeys, 0));
  }

  private start(motion: SupportMotion, seen: readonly SupportKey[]): void {
    this.tell(motion, seen, 0, motion.keyAfter(motion.settled + periodsAhead * motion.period));
  }

  /** Keys of a motion from number `first` to number `last`, after those that the body has seen. Where it throws, all is as before. */
  private tell(motion: SupportMotion, seen: readonly SupportKey[], first: number, last: number): void {
    const keys = [...seen, ...motion.keys(first, last)];
    this.body.setSupport(keys);
    this.motion = motion;
    this.keys = keys;
    this.last = last;
  }
}
