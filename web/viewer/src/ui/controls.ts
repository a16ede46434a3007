// The controls of the panel: each a labelled row that reads and writes one value.

import type { Scale } from '../settings_text';
import { make, recall, remember, setText } from './dom';

/** How a value is written, and read where a person types it. */
export interface ValueText {
  format(value: number): string;
  parse(text: string): number | null;
}

export interface SliderOptions {
  readonly id: string;
  readonly label: string;
  /** For screen readers, which do not see the section around the label; the label where it is left out. */
  readonly name?: string;
  readonly scale: Scale;
  readonly text: ValueText;
  /** The values that may be typed; the slider's own range is often narrower. */
  readonly allowed: readonly [low: number, high: number];
  readonly title?: string;
  change(value: number): void;
}

export interface Slider {
  readonly element: HTMLElement;
  set(value: number): void;
  /** Disables it and says why; null enables it. */
  setReason(reason: string | null): void;
  setScale(scale: Scale, allowed: readonly [number, number]): void;
}

/** A slider with its value beside the label, where it can be typed too. */
export function makeSlider(options: SliderOptions): Slider {
  const name = options.name ?? options.label;
  let { scale, allowed } = options;
  let shown = NaN;
  const range = make('input', {
    type: 'range',
    'data-testid': options.id,
    'aria-label': name,
    min: scale.min,
    max: scale.max,
    step: scale.step,
  });
  const field = make('input', {
    type: 'text',
    class: 'value',
    'data-testid': `${options.id}-value`,
    'aria-label': name,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const label = make('span', { class: 'label' }, options.label);
  const element = make('div', { class: 'slider-row' }, make('div', { class: 'row' }, label, field), range);
  if (options.title) element.title = options.title;

  function show(value: number, force = false): void {
    if (value === shown && !force) return;
    shown = value;
    const text = options.text.format(value);
    if (document.activeElement !== field || force) field.value = text;
    const position = scale.toPosition(value);
    range.value = String(position);
    range.setAttribute('aria-valuetext', text);
    const filled = scale.max > scale.min ? (position - scale.min) / (scale.max - scale.min) : 0;
    range.style.setProperty('--filled', String(filled));
  }
  function accept(): void {
    const value = options.text.parse(field.value);
    const good = value !== null && value >= allowed[0] && value <= allowed[1];
    if (good && value !== shown && field.value !== options.text.format(shown)) options.change(value);
    show(good ? value : shown, true);
  }
  range.addEventListener('input', () => {
    const value = scale.toValue(Number(range.value));
    show(value, true);
    options.change(value);
  });
  field.addEventListener('change', accept);
  field.addEventListener('focus', () => {
    field.select();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') field.blur();
    if (event.key === 'Escape') {
      show(shown, true);
      field.blur();
      event.stopPropagation();
    }
  });
  return {
    element,
    set: show,
    setReason(reason) {
      range.disabled = field.disabled = reason !== null;
      element.classList.toggle('disabled', reason !== null);
      element.title = reason ?? options.title ?? '';
    },
    setScale(next, limits) {
      [scale, allowed] = [next, limits];
      range.min = String(scale.min);
      range.max = String(scale.max);
      range.step = String(scale.step);
      if (!Number.isNaN(shown)) show(shown, true);
    },
  };
}

export interface Switch {
  readonly element: HTMLElement;
  set(on: boolean): void;
  /** Disables it and says why; null enables it. */
  setReason(reason: string | null): void;
}

/** `name`: for screen readers, where the text needs the section around it. */
export function makeSwitch(id: string, text: string, change: (on: boolean) => void, name = text): Switch {
  const input = make('input', {
    type: 'checkbox',
    role: 'switch',
    class: 'switch',
    'data-testid': id,
    'aria-label': name,
  });
  const element = make('label', { class: 'row switch-row' }, make('span', { class: 'label' }, text), input);
  input.addEventListener('change', () => {
    change(input.checked);
  });
  return {
    element,
    set(on) {
      input.checked = on;
    },
    setReason(reason) {
      input.disabled = reason !== null;
      element.classList.toggle('disabled', reason !== null);
      element.title = reason ?? '';
    },
  };
}

export interface Choice {
  readonly element: HTMLElement;
  readonly select: HTMLSelectElement;
  set(value: string): void;
  /** Disables it and says why; null enables it. */
  setReason(reason: string | null): void;
  setOptions(options: readonly (readonly [value: string, text: string])[]): void;
}

/** `name`: for screen readers, where the text needs the section around it. */
export function makeChoice(id: string, text: string, change: (value: string) => void, name = text): Choice {
  const select = make('select', { 'data-testid': id, 'aria-label': name });
  select.addEventListener('change', () => {
    change(select.value);
  });
  let key = '';
  let title: string | null = null;
  const element = make('label', { class: 'row' }, make('span', { class: 'label' }, text), select);
  return {
    element,
    select,
    set(value) {
      if (select.value !== value) select.value = value;
    },
    setReason(reason) {
      title ??= element.title;
      select.disabled = reason !== null;
      element.title = reason ?? title;
    },
    setOptions(options) {
      const next = JSON.stringify(options);
      if (next === key) return;
      key = next;
      select.replaceChildren(...options.map(([value, name]) => make('option', { value }, name)));
    },
  };
}

export interface ButtonOptions {
  readonly id: string;
  readonly text?: string;
  readonly icon?: SVGElement;
  /** For screen readers and as a tooltip; needed where there is no text. */
  readonly title?: string;
  readonly kind?: 'primary' | 'plain' | 'icon';
  readonly click: (event: MouseEvent) => void;
}

export function makeButton(options: ButtonOptions): HTMLButtonElement {
  const button = make('button', {
    type: 'button',
    class: `button ${options.kind ?? 'plain'}`,
    'data-testid': options.id,
  });
  if (options.icon) button.append(options.icon);
  if (options.text) button.append(make('span', {}, options.text));
  if (options.title) {
    button.title = options.title;
    if (!options.text) button.setAttribute('aria-label', options.title);
  }
  button.addEventListener('click', options.click);
  return button;
}

export interface HoldButton {
  readonly element: HTMLButtonElement;
  /** Whether what it does is under way. */
  set(on: boolean): void;
}

/**
 * A button that acts while a pointer or a key holds it. `hold` may be told twice that it has ended. What only clicks, as screen
 * readers do, begins and ends by turns.
 */
export function makeHoldButton(
  options: Omit<ButtonOptions, 'click'> & { readonly hold: (on: boolean) => void },
): HoldButton {
  const { hold } = options;
  let pressed = false;
  const element = makeButton({
    ...options,
    click: (event) => {
      if (event.detail === 0) hold(!pressed); // of no pointer
    },
  });
  element.classList.add('hold');
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    hold(true);
  });
  for (const name of ['pointerup', 'pointercancel', 'lostpointercapture', 'blur'] as const) {
    element.addEventListener(name, () => {
      hold(false);
    });
  }
  for (const [name, on] of [
    ['keydown', true],
    ['keyup', false],
  ] as const) {
    element.addEventListener(name, (event) => {
      if (event.key !== ' ' && event.key !== 'Enter') return;
      event.preventDefault(); // no click follows
      if (!event.repeat) hold(on);
    });
  }
  // A finger that rests on it asks for no menu.
  element.addEventListener('contextmenu', (event) => {
    event.preventDefault();
  });
  return {
    element,
    set(on) {
      pressed = on;
      element.setAttribute('aria-pressed', String(on));
    },
  };
}

/** A collapsible section of the panel, which remembers whether it is open. */
export function makeSection(
  id: string,
  title: string,
  open: boolean,
  ...children: Node[]
): HTMLDetailsElement {
  const details = make(
    'details',
    { class: 'section', 'data-testid': `section-${id}` },
    make('summary', {}, make('h2', {}, title)),
    make('div', { class: 'section-body' }, ...children),
  );
  const remembered = recall(`section.${id}`);
  details.open = remembered === null ? open : remembered === 'open';
  details.addEventListener('toggle', () => {
    remember(`section.${id}`, details.open ? 'open' : 'closed');
  });
  return details;
}

/** A number that changes while the body moves. */
export function makeReadout(id: string, text: string): { element: HTMLElement; set(value: string): void } {
  const output = make('span', { class: 'value', 'data-testid': id });
  return {
    element: make('div', { class: 'row' }, make('span', { class: 'label' }, text), output),
    set(value) {
      setText(output, value);
    },
  };
}
