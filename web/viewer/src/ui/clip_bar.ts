// The bar below a clip: play, step, time, speed.

import { clipSpeeds } from '../clip_clock';
import type { ClipChange, ClipState } from '../clip_player';
import { formatDigits, formatSpeed, formatTime } from '../settings_text';
import { makeButton } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import type { Part, ViewState } from './state';

/** Positions of the slider. */
const SLIDER_STEPS = 1000;

export interface ClipBarActions {
  setClip(change: ClipChange): void;
  step(): void;
  reset(): void;
}

export interface ClipBarPart extends Part {
  /** The time goes on between updates. */
  showTime(clip: ClipState): void;
}

/** Seconds of a clip of this length: hundredths, or three digits where it is shorter than one. */
export function clipTimeText(time: number, length: number): string {
  if (length === 0) return '0 s';
  if (length >= 1) return `${formatTime(time)} / ${formatTime(length)}`;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(length)));
  return `${time.toFixed(digits)} / ${formatDigits(length)} s`;
}

export function makeClipBar(actions: ClipBarActions, frame: () => void): ClipBarPart {
  let shown: ClipState | null = null;
  const play = makeButton({
    id: 'clip-play',
    icon: makeIcon('pause'),
    title: 'Pause (space)',
    kind: 'icon',
    click: () => {
      actions.setClip({ paused: shown?.paused === false });
    },
  });
  play.classList.add('play');
  const button = (id: string, icon: 'step' | 'reset' | 'frame', title: string, click: () => void) =>
    makeButton({ id, icon: makeIcon(icon), title, kind: 'icon', click });
  const step = button('clip-step', 'step', 'Next frame (S)', () => {
    actions.step();
  });
  const reset = button('clip-reset', 'reset', 'To the start (R)', () => {
    actions.reset();
  });
  const view = button('clip-frame', 'frame', 'Show all (F)', frame);
  const slider = make('input', {
    type: 'range',
    class: 'clip-time',
    'data-testid': 'clip-time',
    'aria-label': 'Time',
    min: 0,
    max: SLIDER_STEPS,
    step: 1,
  });
  slider.addEventListener('input', () => {
    // It stays where it is let go: people look at what they went to.
    const time = (Number(slider.value) / SLIDER_STEPS) * (shown?.length ?? 0);
    actions.setClip({ time, paused: true });
  });
  const time = make('span', { class: 'time', 'data-testid': 'clip-time-text', title: 'Time and length' });
  const speed = make('select', { 'data-testid': 'clip-speed', 'aria-label': 'Speed', title: 'Speed' });
  for (const value of clipSpeeds)
    speed.append(make('option', { value: String(value) }, `${formatSpeed(value)} ×`));
  speed.addEventListener('change', () => {
    actions.setClip({ speed: Number(speed.value) });
  });
  const parts = make('select', { 'data-testid': 'clip-part', 'aria-label': 'Animation', title: 'Animation' });
  parts.addEventListener('change', () => {
    actions.setClip({ part: Number(parts.value) });
  });
  let key = '';

  function showTime(clip: ClipState): void {
    shown = clip;
    const share = clip.length > 0 ? clip.time / clip.length : 0;
    const text = clipTimeText(clip.time, clip.length);
    slider.value = String(Math.round(share * SLIDER_STEPS));
    slider.style.setProperty('--filled', String(share));
    slider.setAttribute('aria-valuetext', text);
    setText(time, text);
  }
  function showParts({ parts: names, part }: ClipState): void {
    const next = JSON.stringify(names);
    if (next !== key) {
      key = next;
      const options = names.map((name, i) => make('option', { value: String(i) }, name));
      parts.replaceChildren(...options);
    }
    parts.hidden = names.length < 2;
    parts.value = String(part);
  }
  return {
    element: make(
      'div',
      { id: 'clip-bar', role: 'toolbar', 'aria-label': 'Clip' },
      reset,
      play,
      step,
      slider,
      time,
      speed,
      parts,
      view,
    ),
    update({ clip }: ViewState) {
      if (!clip) return;
      play.replaceChildren(makeIcon(clip.paused ? 'play' : 'pause'));
      play.title = clip.paused ? 'Play (space)' : 'Pause (space)';
      play.setAttribute('aria-label', play.title);
      slider.disabled = step.disabled = clip.length === 0;
      const value = String(clip.speed);
      if (speed.value !== value && ![...speed.options].some((option) => option.value === value))
        speed.append(make('option', { value }, `${formatSpeed(clip.speed)} ×`));
      speed.value = value;
      showParts(clip);
      showTime(clip);
    },
    showTime,
  };
}
