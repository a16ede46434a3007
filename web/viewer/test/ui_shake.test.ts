import { beforeEach, describe, expect, test } from 'vitest';
import { type HoldButton, makeHoldButton } from '../src/ui/controls';
import { shakeScale } from '../src/ui/shake_section';
import { emptyState, shakeOf } from '../src/ui/state';
import { fake, useFakeElements } from './fake_element';

useFakeElements();

describe('a button that is held', () => {
  let told: boolean[];
  let button: HoldButton;

  beforeEach(() => {
    told = [];
    button = makeHoldButton({ id: 'shake', text: 'Shake', hold: (on) => told.push(on) });
    button.set(false);
  });

  /** Returns whether the page would go on to make something of the event. */
  const send = (name: string, more: object = {}): boolean =>
    button.element.dispatchEvent(Object.assign(new Event(name, { cancelable: true }), more));

  test('acts while a pointer is down, which it follows off the button', () => {
    send('pointerdown', { button: 0, pointerId: 7 });
    expect(fake(button.element).captured).toBe(7);
    expect(told).toEqual([true]);
    send('pointerup');
    expect(told.at(-1)).toBe(false);
  });

  test('ignores the right button of a mouse', () => {
    send('pointerdown', { button: 2, pointerId: 7 });
    expect(told).toEqual([]);
  });

  test.each(['pointercancel', 'lostpointercapture', 'blur'])('ends with %s', (name) => {
    send('pointerdown', { button: 0, pointerId: 7 });
    send(name);
    expect(told).toEqual([true, false]);
  });

  test.each([' ', 'Enter'])('acts while the key "%s" is down, once, and no click follows', (key) => {
    expect(send('keydown', { key, repeat: false })).toBe(false);
    expect(send('keydown', { key, repeat: true })).toBe(false);
    expect(told).toEqual([true]);
    expect(send('keyup', { key, repeat: false })).toBe(false);
    expect(told).toEqual([true, false]);
  });

  test('leaves other keys alone', () => {
    expect(send('keydown', { key: 'Tab', repeat: false })).toBe(true);
    expect(told).toEqual([]);
  });

  test('does not act by the click of a pointer, but is switched by what can only click', () => {
    send('click', { detail: 1 });
    expect(told).toEqual([]);
    send('click', { detail: 0 });
    button.set(true);
    send('click', { detail: 0 });
    expect(told).toEqual([true, false]);
    expect(fake(button.element).attributes.get('aria-pressed')).toBe('true');
  });

  test('shows no menu under a finger that rests on it', () => {
    expect(send('contextmenu')).toBe(false);
  });
});

describe('the shaking', () => {
  test('is its amplitude in sizes of the body along its direction', () => {
    const state = {
      ...emptyState(),
      size: 3,
      shake: { direction: '+y', amplitude: 0.1, frequency: 4 } as const,
    };
    const { amplitude, frequency } = shakeOf(state);
    expect(amplitude.map((x) => x.toFixed(12))).toEqual([
      '0.000000000000',
      '0.300000000000',
      '0.000000000000',
    ]);
    expect(frequency).toBe(4);
  });

  test.each([
    [3, 0.3, 30],
    [1e-9, 1e-3, 1e-2],
    [1e9, 1e3, 1e4],
  ])('of a body with %d Hz has a slider from %d to %d Hz', (slowest, low, high) => {
    const scale = shakeScale(Float64Array.of(slowest));
    expect([scale.toValue(scale.min), scale.toValue(scale.max)]).toEqual([low, high]);
  });
});
