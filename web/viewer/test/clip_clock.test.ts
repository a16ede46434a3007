import { describe, expect, it } from 'vitest';
import { ClipClock, suitableClipSpeed } from '../src/clip_clock';

const frames = [0, 0.5, 1, 1.5, 2];

describe('the time of a clip', () => {
  it('goes on with the clock on the wall, and begins again behind the end', () => {
    const clock = new ClipClock(2, frames);
    const times = Array.from({ length: 11 }, () => {
      clock.advance(0.2);
      return Number(clock.time.toFixed(6));
    });
    expect(times.slice(0, 3)).toEqual([0.2, 0.4, 0.6]);
    expect(times.at(-1)).toBe(0.2);
  });

  it('stands still while it is paused, and in a clip without length', () => {
    const clock = new ClipClock(2, frames);
    clock.paused = true;
    expect(clock.advance(0.1)).toBe(false);
    expect(clock.time).toBe(0);
    expect(new ClipClock(0, [0]).advance(0.1)).toBe(false);
  });

  it('goes slower and faster', () => {
    const clock = new ClipClock(2, frames);
    clock.speed = 0.5;
    clock.advance(0.2);
    expect(clock.time).toBeCloseTo(0.1);
    expect(() => {
      clock.speed = 0;
    }).toThrow('Speed: expected');
  });

  it('does not run on while nobody looks', () => {
    const clock = new ClipClock(2, frames);
    clock.advance(100);
    expect(clock.time).toBe(0.25);
  });

  it('is what a person slides it to, within the clip', () => {
    const clock = new ClipClock(2, frames);
    for (const [to, expected] of [
      [1.3, 1.3],
      [-1, 0],
      [7, 2],
      [NaN, 0],
    ] as const) {
      clock.seek(to);
      expect(clock.time).toBe(expected);
    }
  });

  it('steps from frame to frame, and from the last one to the first', () => {
    const clock = new ClipClock(2, frames);
    clock.seek(0.7);
    const times = Array.from({ length: 5 }, () => {
      clock.step();
      return clock.time;
    });
    expect(times).toEqual([1, 1.5, 2, 0, 0.5]);
    expect(clock.paused).toBe(true);
  });
});

describe('the speed of a clip at first', () => {
  it.each([
    [3, 1],
    [1, 1],
    [0.4, 1 / 5],
    [0.01, 1 / 200],
    [1e-6, 1 / 1000],
    [0, 1],
  ])('of %d s is %d of real time', (length, speed) => {
    expect(suitableClipSpeed(length)).toBe(speed);
  });
});
