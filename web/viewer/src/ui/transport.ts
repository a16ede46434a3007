// The bar below the picture: play, step, reset, speed, time.

import { formatSpeed, formatTime } from '../settings_text';
import { makeButton } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import type { Actions, Part } from './state';

const SPEEDS = [2, 1, 1 / 2, 1 / 5, 1 / 10, 1 / 20, 1 / 50, 1 / 100, 1 / 200, 1 / 500, 1 / 1000];

export interface TransportPart extends Part {
  /** s of the world; null: no body is shown. */
  showTime(time: number | null): void;
}

export function makeTransport(actions: Actions, frame: () => void): TransportPart {
  let paused = false;
  let playing = false;
  const play = makeButton({
    id: 'play',
    icon: makeIcon('pause'),
    title: 'Pause (space)',
    kind: 'icon',
    click: () => {
      actions.set({ paused: !paused });
    },
  });
  const step = makeButton({
    id: 'step',
    icon: makeIcon('step'),
    title: 'Single step (S)',
    kind: 'icon',
    click: () => {
      actions.step();
    },
  });
  const reset = makeButton({
    id: 'reset',
    icon: makeIcon('reset'),
    title: 'Back to rest (R)',
    kind: 'icon',
    click: () => {
      actions.reset();
    },
  });
  const view = makeButton({
    id: 'frame',
    icon: makeIcon('frame'),
    title: 'Show all (F)',
    kind: 'icon',
    click: frame,
  });
  const speed = make('select', { 'data-testid': 'speed', 'aria-label': 'Speed', title: 'Speed' });
  for (const value of SPEEDS)
    speed.append(make('option', { value: String(value) }, `${formatSpeed(value)} ×`));
  speed.addEventListener('change', () => {
    actions.set({ speed: Number(speed.value) });
  });
  const time = make('span', { class: 'time', 'data-testid': 'time', title: 'Simulated time' });
  play.classList.add('play');
  return {
    element: make(
      'div',
      { id: 'transport', role: 'toolbar', 'aria-label': 'Time' },
      reset,
      play,
      step,
      speed,
      time,
      view,
    ),
    update({ settings, allPlaying }) {
      const nowPlaying = !settings.paused;
      if (nowPlaying !== playing) {
        playing = nowPlaying;
        play.replaceChildren(makeIcon(playing ? 'pause' : 'play'));
        play.title = playing ? 'Pause (space)' : 'Play (space)';
        play.setAttribute('aria-label', play.title);
      }
      paused = settings.paused;
      step.disabled = allPlaying;
      const value = String(settings.speed);
      if (speed.value !== value) {
        if (![...speed.options].some((option) => option.value === value)) {
          speed.append(make('option', { value }, `${formatSpeed(settings.speed)} ×`));
        }
        speed.value = value;
      }
    },
    showTime(value) {
      setText(time, value === null ? '–' : formatTime(value));
    },
  };
}
