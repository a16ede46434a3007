import { describe, expect, test } from 'vitest';
import type { Vector3 } from '../../runtime/src/types';
import { Gestures, type GestureTarget, type Grip, type PointerRecord } from '../src/gestures';

const POINT: Vector3 = [1, 2, 3];

/** Writes down what the gestures ask for. The body is where x < 100, and handle 77 where x > 1000: its ball, and where x > 1100 a ring. */
class Recorder implements GestureTarget {
  readonly log: string[] = [];
  shownCursor = '';
  grab(pull: number, x: number): Promise<Vector3 | null> {
    this.log.push(`grab ${pull}`);
    return Promise.resolve(x < 100 ? POINT : null);
  }
  drag(pull: number, x: number, y: number, through: Vector3): void {
    this.log.push(`drag ${pull} to ${x} ${y} through ${through.join(' ')}`);
  }
  release(pull: number): void {
    this.log.push(`release ${pull}`);
  }
  pinning = false;
  grip(x: number): Grip | null {
    return x > 1000 ? this.gripOf(77, x > 1100 ? 'x' : 'ball') : null;
  }
  pin(handle: number, x: number): Promise<Grip | null> {
    this.log.push(`pin ${handle}`);
    return Promise.resolve(x < 100 ? this.gripOf(handle) : null);
  }
  removeHandle(handle: number): void {
    this.log.push(`remove ${handle}`);
  }
  private gripOf(handle: number, part: Grip['part'] = 'ball'): Grip {
    return { handle, part, move: (x, y) => this.log.push(`move ${handle} to ${x} ${y}`) };
  }
  orbit(dx: number, dy: number): void {
    this.log.push(`orbit ${dx} ${dy}`);
  }
  pan(dx: number, dy: number): void {
    this.log.push(`pan ${dx} ${dy}`);
  }
  zoom(factor: number, x: number, y: number): void {
    this.log.push(`zoom ${factor.toFixed(3)} at ${x} ${y}`);
  }
  frame(): void {
    this.log.push('frame');
  }
  cursor(cursor: string): void {
    this.shownCursor = cursor;
  }
}

function record(id: number, x: number, y: number, more: Partial<PointerRecord> = {}): PointerRecord {
  return { id, x, y, touch: false, button: 0, pan: false, orbit: false, time: 0, ...more };
}

/** Lets answered questions take effect. */
async function settle(): Promise<void> {
  for (let i = 0; i < 4; ++i) await Promise.resolve();
}

function setUp(): { target: Recorder; gestures: Gestures } {
  const target = new Recorder();
  return { target, gestures: new Gestures(target) };
}

describe('one pointer', () => {
  test('on the body pulls it until it is lifted', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(7, 50, 50));
    await settle();
    gestures.move(record(7, 60, 40));
    gestures.up(record(7, 60, 40));
    expect(target.log).toEqual(['grab 1', 'drag 1 to 60 40 through 1 2 3', 'release 1']);
  });

  test('keeps the motion that comes before the answer', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50));
    gestures.move(record(1, 55, 50));
    gestures.move(record(1, 90, 20));
    await settle();
    expect(target.log).toEqual(['grab 1', 'drag 1 to 90 20 through 1 2 3']);
  });

  test('beside the body turns the camera, by the motion before the answer as well', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 150, 50));
    gestures.move(record(1, 160, 45));
    await settle();
    gestures.move(record(1, 170, 45));
    expect(target.log).toEqual(['grab 1', 'orbit 10 -5', 'orbit 10 0']);
  });

  test('that is lifted before the answer lets go as soon as it comes', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50));
    gestures.up(record(1, 50, 50));
    await settle();
    expect(target.log).toEqual(['grab 1', 'release 1']);
  });

  test('with Alt or space turns the camera on the body too', () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50, { orbit: true }));
    gestures.move(record(1, 60, 50));
    expect(target.log).toEqual(['orbit 10 0']);
  });

  test.each([{ button: 2 }, { button: 1 }, { pan: true }])('with %o pans', (how) => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50, how));
    gestures.move(record(1, 53, 54));
    expect(target.log).toEqual(['pan 3 4']);
    expect(target.shownCursor).toBe('move');
  });

  test('shows a closed hand while it holds something', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50));
    await settle();
    expect(target.shownCursor).toBe('grabbing');
    gestures.up(record(1, 50, 50));
    expect(target.shownCursor).toBe('grab');
  });

  test('orbits when the question fails', async () => {
    const { target, gestures } = setUp();
    target.grab = () => Promise.reject(new Error('the worker is gone'));
    gestures.down(record(1, 50, 50));
    await settle();
    gestures.move(record(1, 51, 50));
    expect(target.log).toEqual(['orbit 1 0']);
  });
});

describe('interruptions', () => {
  test('a cancelled pointer releases its pull', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50));
    await settle();
    gestures.cancel(1);
    gestures.move(record(1, 80, 80));
    expect(target.log).toEqual(['grab 1', 'release 1']);
  });

  test('cancelling all releases every pull', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50, { touch: true }));
    gestures.down(record(2, 60, 50, { touch: true }));
    await settle();
    gestures.cancelAll();
    expect(target.log.slice(2)).toEqual(['release 1', 'release 2']);
    expect(gestures.active).toBe(false);
  });

  test('a pointer that comes down again without having been lifted starts afresh', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 50, 50));
    await settle();
    gestures.down(record(1, 40, 40));
    expect(target.log).toEqual(['grab 1', 'release 1', 'grab 2']);
  });
});

describe('two fingers', () => {
  const touch = { touch: true };

  test('beside the body zoom by their distance and pan by their middle', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 200, 100, touch));
    await settle();
    gestures.down(record(2, 300, 100, touch));
    gestures.move(record(2, 400, 100));
    expect(target.log).toEqual(['grab 1', 'pan 50 0', 'zoom 2.000 at 300 100']);
  });

  test('pinch even where the second one lands on the body', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 200, 100, touch));
    await settle();
    gestures.down(record(2, 50, 100, touch));
    gestures.move(record(2, 50, 110));
    expect(target.log).toContain('pan 0 5');
    expect(target.log).not.toContain('grab 2');
  });

  test('on the body are two pulls', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 20, 20, touch));
    await settle();
    gestures.down(record(2, 60, 20, touch));
    await settle();
    gestures.move(record(1, 21, 20));
    gestures.move(record(2, 61, 20));
    expect(target.log.slice(2)).toEqual(['drag 1 to 21 20 through 1 2 3', 'drag 2 to 61 20 through 1 2 3']);
  });

  test('that both come down before the answers and miss, pinch', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 200, 100, touch));
    gestures.down(record(2, 300, 100, touch));
    await settle();
    gestures.move(record(1, 200, 120));
    expect(target.log).toContain('pan 0 10');
  });

  test('leave the one that stays to orbit', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 200, 100, touch));
    await settle();
    gestures.down(record(2, 300, 100, touch));
    gestures.up(record(2, 300, 100));
    gestures.move(record(1, 203, 100));
    expect(target.log).toEqual(['grab 1', 'orbit 3 0']);
  });
});

describe('taps and the wheel', () => {
  async function tap(gestures: Gestures, x: number, time: number): Promise<void> {
    gestures.down(record(1, x, 50, { time }));
    await settle();
    gestures.up(record(1, x, 50, { time: time + 30 }));
  }

  test('two taps beside the body show all of it', async () => {
    const { target, gestures } = setUp();
    await tap(gestures, 150, 1000);
    await tap(gestures, 152, 1200);
    expect(target.log).toContain('frame');
  });

  test('two slow taps do nothing', async () => {
    const { target, gestures } = setUp();
    await tap(gestures, 150, 1000);
    await tap(gestures, 150, 2000);
    expect(target.log).not.toContain('frame');
  });

  test('two taps on the body do not move the camera', async () => {
    const { target, gestures } = setUp();
    await tap(gestures, 50, 1000);
    await tap(gestures, 50, 1200);
    expect(target.log).not.toContain('frame');
  });

  test('a drag and a tap are no double tap', async () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 150, 50, { time: 1000 }));
    await settle();
    gestures.move(record(1, 190, 50));
    gestures.move(record(1, 150, 50));
    gestures.up(record(1, 150, 50, { time: 1100 }));
    await tap(gestures, 150, 1200);
    expect(target.log).not.toContain('frame');
  });

  test('the wheel zooms towards the pointer, and back by the same factor', () => {
    const { target, gestures } = setUp();
    gestures.wheel(30, 40, -100, false);
    gestures.wheel(30, 40, 100, false);
    expect(target.log).toEqual(['zoom 1.174 at 30 40', 'zoom 0.852 at 30 40']);
  });

  test('one turn of the wheel is limited', () => {
    const { target, gestures } = setUp();
    gestures.wheel(0, 0, -1e6, false);
    gestures.wheel(0, 0, -240, false);
    expect(target.log[0]).toBe(target.log[1]);
  });
});

describe('handles', () => {
  async function tap(gestures: Gestures, x: number, time: number): Promise<void> {
    gestures.down(record(1, x, 50, { time }));
    await settle();
    gestures.up(record(1, x, 50, { time: time + 30 }));
  }

  test.each([false, true])('follow the pointer that takes hold of them, touch %s', (touch) => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 1010, 50, { touch }));
    gestures.move(record(1, 1020, 40));
    gestures.up(record(1, 1020, 40));
    expect(target.log).toEqual(['move 77 to 1020 40']);
  });

  test('leave the camera to those who ask for it', () => {
    const { target, gestures } = setUp();
    gestures.down(record(1, 1010, 50, { orbit: true }));
    gestures.move(record(1, 1011, 50));
    expect(target.log).toEqual(['orbit 1 0']);
  });

  test('are pinned where the body is clicked on, and follow the same pointer', async () => {
    const { target, gestures } = setUp();
    target.pinning = true;
    gestures.down(record(1, 50, 50));
    gestures.move(record(1, 60, 50));
    await settle();
    gestures.move(record(1, 90, 20));
    gestures.up(record(1, 90, 20));
    expect(target.log).toEqual(['pin 1', 'move 1 to 60 50', 'move 1 to 90 20']);
  });

  test('that cannot be pinned leave the pointer to the camera', async () => {
    const { target, gestures } = setUp();
    target.pinning = true;
    gestures.down(record(1, 150, 50));
    await settle();
    gestures.move(record(1, 151, 50));
    expect(target.log).toEqual(['pin 1', 'orbit 1 0']);
  });

  test('are removed by two taps', async () => {
    const { target, gestures } = setUp();
    await tap(gestures, 1010, 1000);
    await tap(gestures, 1011, 1200);
    expect(target.log).toEqual(['remove 77']);
  });

  test('are not removed by two taps on a ring', async () => {
    const { target, gestures } = setUp();
    await tap(gestures, 1110, 1000);
    await tap(gestures, 1110, 1200);
    expect(target.log).toEqual([]);
  });

  test('are not removed by the click that pins them and another one', async () => {
    const { target, gestures } = setUp();
    target.pinning = true;
    await tap(gestures, 50, 1000);
    await tap(gestures, 50, 1200);
    expect(target.log).toEqual(['pin 1', 'pin 2']);
  });

  test('are not removed by a tap beside the body and one on them', async () => {
    const { target, gestures } = setUp();
    await tap(gestures, 999, 1000);
    await tap(gestures, 1001, 1200);
    expect(target.log).toEqual(['grab 1']);
  });
});
