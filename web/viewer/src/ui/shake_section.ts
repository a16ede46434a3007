// The section of the panel that shakes what holds the body.

import type { BodyInfo } from '../../../runtime/src/types';
import { lowestFrequency, shakeFrequencies } from '../settings';
import {
  formatDigits,
  formatUnit,
  linearScale,
  logScale,
  parsePlain,
  parseUnit,
  type Scale,
} from '../settings_text';
import { makeChoice, makeHoldButton, makeSection, makeSlider } from './controls';
import { make, setText } from './dom';
import type { Actions, Axis, Part } from './state';

const DIRECTIONS: readonly (readonly [Axis, string])[] = [
  ['+x', 'Along x'],
  ['+y', 'Along y'],
  ['+z', 'Along z'],
];

/** The slider's range of frequencies, in multiples of the slowest vibration and its inverse. */
const RANGE = 10;

/** For a body with these frequencies, Hz. */
export function shakeScale(frequencies: Float64Array): Scale {
  const slowest = lowestFrequency(frequencies);
  const [low, high] = shakeFrequencies;
  return logScale(
    Math.min(Math.max(slowest / RANGE, low), high / RANGE),
    Math.max(Math.min(slowest * RANGE, high), low * RANGE),
  );
}

export function makeShakeSection(actions: Actions): Part {
  const button = makeHoldButton({
    id: 'shake',
    text: 'Shake',
    title: 'Shakes what holds the body while it is held (J)',
    kind: 'primary',
    hold: (on) => {
      actions.shake(on);
    },
  });
  const direction = makeChoice(
    'shake-direction',
    'Direction',
    (value) => {
      actions.setShake({ direction: value as Axis });
    },
    'Direction of the shaking',
  );
  direction.setOptions(DIRECTIONS);
  const amplitude = makeSlider({
    id: 'shake-amplitude',
    label: 'Amplitude',
    name: 'Amplitude of the shaking',
    title: 'In percent of the size of the body',
    scale: linearScale(0.5, 25, 0.5),
    text: { format: (value) => `${formatDigits(value, 2)} %`, parse: (text) => parsePlain(text, ['%']) },
    allowed: [0.01, 100],
    change: (value) => {
      actions.setShake({ amplitude: value / 100 });
    },
  });
  const frequency = makeSlider({
    id: 'shake-frequency',
    label: 'Frequency',
    name: 'Frequency of the shaking',
    title: 'In the time of the body',
    scale: logScale(0.1, 10),
    text: { format: (value) => formatUnit(value, 'Hz'), parse: (text) => parseUnit(text, 'Hz') },
    allowed: shakeFrequencies,
    change: (value) => {
      actions.setShake({ frequency: value });
    },
  });
  const hint = make('p', { class: 'hint' });
  const buttons = make('div', { class: 'buttons' }, button.element);
  let shown: BodyInfo | null = null;
  return {
    element: makeSection(
      'shake',
      'Shake',
      true,
      buttons,
      direction.element,
      amplitude.element,
      frequency.element,
      hint,
    ),
    update({ info, settings, shake, frequencies }) {
      if (info && info !== shown) {
        shown = info;
        frequency.setScale(shakeScale(frequencies), shakeFrequencies);
      }
      button.element.disabled = info === null;
      button.set(settings.shake !== null);
      direction.set(shake.direction);
      amplitude.set(shake.amplitude * 100);
      frequency.set(shake.frequency);
      const slowest = formatUnit(lowestFrequency(frequencies), 'Hz');
      setText(hint, `Hold the button, or J. The slowest vibration of the body is at ${slowest}.`);
    },
  };
}
