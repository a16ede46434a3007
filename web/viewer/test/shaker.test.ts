import { beforeEach, describe, expect, it } from 'vitest';
import type { SupportKey, Vector3 } from '../../runtime/src/types';
import type { Shake } from '../src/protocol';
import { Shaker } from '../src/shaker';
import { spline } from './spline';

const shake = { amplitude: [0.3, 0, 0], frequency: 2 } as const;
/** Of what a spline may be beside the motion, m. */
const close = 1e-4 * 0.3;
const distance = (a: Vector3, b: Vector3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** A body that looks at its support as the real one does, and remembers where it saw it. */
class Carried {
  now = 0;
  told = 0;
  mostKeys = 0;
  /** Largest difference to what it has seen, m. */
  contradicted = 0;
  /** Largest acceleration felt, m/s^2. */
  felt = 0;
  path: ((t: number) => Vector3) | null = null;
  private readonly seen: { time: number; place: Vector3 }[] = [];

  setSupport(keys: readonly SupportKey[] | null): void {
    ++this.told;
    this.mostKeys = Math.max(this.mostKeys, keys?.length ?? 0);
    this.path = keys && spline(keys);
    for (const { time, place } of this.seen) {
      this.contradicted = Math.max(this.contradicted, distance(this.at(time), place));
    }
  }

  step(h: number): void {
    const places = [-0.5, 0.5, 1.5].map((share) => this.at(this.now + share * h));
    const change = places[0]!.map((x, axis) => x - 2 * places[1]![axis]! + places[2]![axis]!);
    this.felt = Math.max(this.felt, Math.hypot(...change) / h ** 2);
    this.now += h;
    this.seen.push({ time: this.now, place: this.at(this.now) });
    if (this.seen.length > 2) this.seen.shift();
  }

  at(t: number): Vector3 {
    return this.path?.(t) ?? [0, 0, 0];
  }
}

const h = 0.004;
let body: Carried;
let shaker: Shaker;

beforeEach(() => {
  body = new Carried();
  shaker = new Shaker(body);
});

const change = (to: Shake | null): void => {
  shaker.change(body.now, h, to);
};

/** Takes steps of h seconds, up to `batch` at a time, and checks that the body is where the shaker says. */
function run(seconds: number, batch = 5): void {
  let left = Math.round(seconds / h);
  while (left > 0) {
    const count = shaker.prepare(body.now, h, Math.min(batch, left));
    expect(count).toBeGreaterThan(0);
    for (let i = 0; i < count; ++i) body.step(h);
    left -= count;
    expect(distance(body.at(body.now), shaker.position(body.now) ?? [0, 0, 0])).toBeLessThan(close);
  }
}

describe('a shaker', () => {
  it('leaves a body alone that nobody shakes', () => {
    change(null);
    run(1);
    expect(body.told).toBe(0);
    expect(shaker.active).toBe(false);
    expect(shaker.position(body.now)).toBeNull();
  });

  it('keeps the body shaken for as long as it is wanted, and does not tell it often', () => {
    run(0.3);
    change(shake);
    run(60);
    expect(body.told).toBeLessThan(60 / 3);
    expect(body.mostKeys).toBeLessThan(1000);
    expect(body.contradicted).toBeLessThan(1e-6 * 0.3);
    let farthest = 0;
    for (let i = 0; i < 200; ++i) {
      run(h, 1);
      farthest = Math.max(farthest, Math.hypot(...body.at(body.now)));
    }
    expect(farthest).toBeCloseTo(0.3, 3);
  });

  it('brings the support back to where it was made, and takes it away a while later', () => {
    change(shake);
    run(2.22);
    change(null);
    run(0.28);
    expect(body.at(body.now)).toEqual([0, 0, 0]);
    expect(shaker.active).toBe(true);
    change(null);
    run(2);
    expect(body.path).toBeNull();
    expect(shaker.active).toBe(false);
    expect(body.contradicted).toBeLessThan(close);
  });

  it('never contradicts what the body has seen, nor throws it', () => {
    // Pressed and let go at any time, with other values in between.
    let seed = 1;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const asked = { amplitude: 0.3, frequency: 3 };
    for (let i = 0; i < 60; ++i) {
      const direction: Vector3 = [random(), random(), random()];
      const size = Math.hypot(...direction) / (asked.amplitude * random());
      const amplitude: Vector3 = [direction[0] / size, direction[1] / size, direction[2] / size];
      change(random() < 0.4 ? null : { amplitude, frequency: asked.frequency * (0.3 + 0.7 * random()) });
      run(0.5 * random(), 1 + Math.floor(20 * random()));
    }
    expect(body.contradicted).toBeLessThan(2 * close);
    // The sine itself: w^2 times the amplitude. Beginnings, which have half a period, take more.
    expect(body.felt).toBeLessThan(3 * (2 * Math.PI * asked.frequency) ** 2 * asked.amplitude);
  });

  it('does not move at all for a press that ends before the next step', () => {
    run(0.1);
    change(shake);
    change(null);
    run(3);
    expect(body.felt).toBe(0);
    expect(body.path).toBeNull();
  });

  it('tells few keys at a time where the body is shaken fast for its steps', () => {
    change({ ...shake, frequency: 1e4 });
    expect(shaker.prepare(0, h, 250)).toBeLessThan(250);
    expect(shaker.prepare(0, h, 250)).toBeGreaterThan(0);
    expect(body.mostKeys).toBeLessThan(20_000);
  });

  it('that is stopped takes the support away at once, and begins from rest again', () => {
    change(shake);
    run(0.3);
    shaker.stop();
    expect(body.path).toBeNull();
    body.now = 0;
    change(shake);
    expect(body.at(0)).toEqual([0, 0, 0]);
    run(1);
  });
});
