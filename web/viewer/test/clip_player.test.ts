import { beforeEach, describe, expect, it } from 'vitest';
import { ClipPlayer, type ClipState } from '../src/clip_player';
import { DrawnClip } from '../src/stage/drawn_clip';
import { type ClipBarPart, clipTimeText, makeClipBar } from '../src/ui/clip_bar';
import { emptyBody, emptyWorld, viewOf } from '../src/ui/state';
import { clipGlb } from './clip_glb';
import { fake, type FakeElement, useFakeElements } from './fake_element';

useFakeElements();

let player: ClipPlayer;
let bar: ClipBarPart;
let moved: number[];

const state = (): ClipState => player.state!;
const find = (id: string): FakeElement => fake(bar.element).find(id)!;

function update(): void {
  bar.update(viewOf(emptyWorld(), emptyBody(), [], player.state));
}

beforeEach(async () => {
  moved = [];
  player = new ClipPlayer({
    setClip: () => undefined,
    moveClip: (time) => moved.push(time),
  });
  const translations = [
    [0, 0, 0],
    [4, 0, 0],
    [8, 0, 0],
  ];
  const bytes = clipGlb({ times: [0, 1, 2], translations, copies: 1 });
  player.show(await DrawnClip.load(bytes), 'slide');
  bar = makeClipBar(
    {
      setClip: (change) => {
        player.change(change);
        update();
      },
      step: () => {
        player.step();
        update();
      },
      reset: () => {
        player.change({ time: 0 });
        update();
      },
    },
    () => undefined,
  );
  update();
});

describe('the player', () => {
  it('plays from the first picture on, in a loop', () => {
    expect(player.advance(100)).toBe(false); // what was before it was shown does not count
    for (let i = 1; i <= 11; ++i) player.advance(100 + 0.2 * i);
    expect(state().time).toBeCloseTo(0.2);
    expect(moved.at(-1)).toBe(state().time);
  });

  it('says what it plays, and takes nothing that it cannot', () => {
    expect(state()).toMatchObject({ name: 'slide', length: 2, parts: ['motion', 'again 1'], part: 0 });
    expect(() => {
      player.change({ part: 2 });
    }).toThrow('expected 0 to 1');
    player.change({ part: 1, speed: 0.5 });
    expect(state()).toMatchObject({ part: 1, speed: 0.5, time: 0 });
  });

  it('is nothing once it is closed', () => {
    player.close();
    expect(player.state).toBeNull();
    expect(player.advance(1)).toBe(false);
  });
});

describe('the bar of a clip', () => {
  it('pauses, plays, steps and goes to the start', () => {
    find('clip-play').dispatchEvent(new Event('click'));
    expect(state().paused).toBe(true);
    find('clip-step').dispatchEvent(new Event('click'));
    expect(state().time).toBe(1);
    find('clip-reset').dispatchEvent(new Event('click'));
    expect(state().time).toBe(0);
    find('clip-play').dispatchEvent(new Event('click'));
    expect(state().paused).toBe(false);
  });

  it('goes where its slider is drawn to, and stays there', () => {
    const slider = find('clip-time');
    slider.value = '250';
    slider.dispatchEvent(new Event('input'));
    expect(state()).toMatchObject({ time: 0.5, paused: true });
    expect(moved.at(-1)).toBe(0.5);
  });

  it('moves its slider with the time', () => {
    bar.showTime({ ...state(), time: 1.5 });
    expect(find('clip-time').value).toBe('750');
    expect(find('clip-time').attributes.get('aria-valuetext')).toBe('1.50 s / 2.00 s');
  });

  it.each([
    [0.5, 2, '0.50 s / 2.00 s'],
    [65, 125, '1:05.00 / 2:05.00'],
    [0.0125, 0.025, '0.0125 / 0.0250 s'],
    [0, 0, '0 s'],
  ])('writes %d s of %d s as %s', (time, length, text) => {
    expect(clipTimeText(time, length)).toBe(text);
  });
});
