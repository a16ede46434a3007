import { beforeEach, describe, expect, it } from 'vitest';
import type { ActiveHandle, Frame } from '../src/protocol';
import type { Quality } from '../src/stage/quality';
import { type Painter, Picture } from '../src/ui/picture';
import { frameWith } from './fake_body';

let rendered: number;
let qualities: Quality[];
let painter: Painter;
let picture: Picture;

beforeEach(() => {
  rendered = 0;
  qualities = [];
  painter = {
    busy: false,
    render: () => ++rendered,
    setQuality: (quality) => qualities.push(quality),
  };
  picture = new Picture(painter, true);
  picture.draw([null], 0);
});

const frame = (...q: number[]): Frame => frameWith({ q: Float32Array.from(q) });

describe('a picture', () => {
  it('is drawn for a frame that differs so that one could see it', () => {
    expect(picture.draw([frame(1, 0)], 0.1)).toBe(true);
    expect(picture.draw([frame(1, 1e-5)], 0.12)).toBe(true);
  });

  it('is not drawn again for the same frame or an equal one', () => {
    const same = frame(1, 0);
    picture.draw([same], 0.1);
    expect(picture.draw([same], 5)).toBe(false);
    expect(picture.draw([frame(1, 0)], 9)).toBe(false);
  });

  it('is not drawn for what nobody sees', () => {
    picture.draw([frame(1, 0)], 0.1);
    expect(picture.draw([frame(1, 1e-7)], 0.2)).toBe(false);
  });

  it('shows the state of rest exactly after a while', () => {
    picture.draw([frame(1)], 0.1);
    picture.draw([frame(1e-8)], 0.2);
    const rest = frame(0);
    expect(picture.draw([rest], 0.3)).toBe(false);
    expect(picture.draw([rest], 0.8)).toBe(true);
    expect(picture.draw([rest], 9)).toBe(false);
  });

  it('is drawn where many invisible changes add up', () => {
    picture.draw([frame(1)], 0.1);
    const drawn = [1, 2, 3, 4, 5, 6].map((i) => picture.draw([frame(1 + 3e-7 * i)], 0.1 + i / 100));
    expect(drawn).toContain(true);
  });

  it('is drawn when something else changed, once', () => {
    const same = frame(1);
    picture.draw([same], 0.1);
    picture.invalidate();
    expect([picture.draw([same], 0.2), picture.draw([same], 0.3)]).toEqual([true, false]);
    expect(rendered).toBe(3);
  });

  it('is drawn when a handle is wanted elsewhere, and not again while it stays', () => {
    const handle: ActiveHandle = {
      ...{ id: 1, vertex: 0, pinned: true, hold: 'both', positionError: 0, orientationError: 0 },
      ...{ point: [0, 0, 0], target: [0, 0, 0], orientation: [0, 0, 0, 1], rotation: [0, 0, 0, 1] },
    };
    picture.draw([{ ...frame(1), handles: [handle] }], 0.1);
    expect(picture.draw([{ ...frame(1), handles: [{ ...handle }] }], 0.2)).toBe(false);
    expect(picture.draw([{ ...frame(1), handles: [{ ...handle, target: [1, 0, 0] }] }], 0.3)).toBe(true);
    expect(picture.draw([{ ...frame(1), handles: [] }], 0.4)).toBe(true);
  });

  it('is drawn when the body has flown on as it was', () => {
    expect(picture.draw([{ ...frame(1), pose: [0, 0, 0, 0, 0, 0, 1] }], 0.1)).toBe(true);
    expect(picture.draw([{ ...frame(1), pose: [0, 0, 0, 0, 0, 0, 1] }], 0.2)).toBe(false);
    expect(picture.draw([{ ...frame(1), pose: [1, 0, 0, 0, 0, 0, 1] }], 0.3)).toBe(true);
  });

  it('is drawn when the same coordinates are of warped modes', () => {
    picture.draw([frame(1)], 0.1);
    expect(picture.draw([{ ...frame(1), warped: true }], 0.2)).toBe(true);
  });

  it('of another body is drawn', () => {
    picture.draw([frame(0)], 0.1);
    picture.clear();
    expect(picture.draw([frame(0)], 0.2)).toBe(true);
  });
});

describe('quality', () => {
  /** Frames of the screen `interval` s apart; each `every`-th has motion. */
  function run(interval: number, every: number, count = 200): void {
    for (let i = 0; i < count; ++i) picture.draw([frame(Math.floor(i / every))], 10 + i * interval);
  }

  it('falls where every picture takes too long', () => {
    run(0.1, 1);
    expect(qualities[0]).toBe('light');
  });

  it('stays where pictures come fast', () => {
    run(1 / 60, 1);
    expect(qualities).toEqual([]);
  });

  it('stays near rest, where few pictures are needed', () => {
    run(1 / 60, 6, 1000);
    expect(qualities).toEqual([]);
  });

  it('stays where motion comes in short bursts', () => {
    for (let i = 0; i < 1000; ++i)
      picture.draw([frame(i % 10 < 2 ? i : Math.floor(i / 10) * 10 + 1)], i / 60);
    expect(qualities).toEqual([]);
  });

  it('stays where it was asked for', () => {
    picture = new Picture(painter, false);
    run(0.1, 1);
    expect(qualities).toEqual([]);
  });
});
