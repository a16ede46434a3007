// Sections of the panel about the body itself: material, vibrations, overlays, facts.

import type { BodyInfo, Method } from '../../../runtime/src/types';
import { largestYoung } from '../settings';
import {
  formatCount,
  formatDigits,
  formatUnit,
  linearScale,
  logScale,
  parsePlain,
  parseUnit,
} from '../settings_text';
import { makeButton, makeSection, makeSlider, makeSwitch, type Slider } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import { type Actions, hasDomains, NOT_OF_DOMAINS, type BodyState, type Overlay, type Part } from './state';

const LAWS: Readonly<Record<string, string>> = {
  linear: 'linear elastic',
  corotational: 'corotational',
  stvk: 'St. Venant-Kirchhoff',
  'neo-hookean': 'neo-Hookean',
  'mooney-rivlin': 'Mooney-Rivlin',
  'arruda-boyce': 'Arruda-Boyce',
};

/** Ranges of Young's modulus in multiples of the model's own: of the slider, and of what may be typed. */
const SLIDER_RANGE = 100;
const TYPED_RANGE = 1e6;

function regionName(name: string, index: number): string {
  return name || `Region ${index + 1}`;
}

/** The values of Young's modulus that a region with this one may be given, Pa; `factor` above and below at most. */
export function youngRange(young: number, factor: number): [low: number, high: number] {
  return [young / factor, Math.min(young * factor, largestYoung)];
}

/** kg/m^3 with three digits at least: foams and shells have little. */
export function formatDensity(density: number): string {
  return `${density >= 100 ? formatCount(density) : formatDigits(density)} kg/m³`;
}

export function makeMaterialSection(actions: Actions): Part {
  const list = make('div', { class: 'stack' });
  let shown: BodyInfo | null = null;
  let rows: { slider: Slider; reset: HTMLButtonElement }[] = [];

  function build(info: BodyInfo): void {
    shown = info;
    rows = info.regions.map((region, index) => {
      const { young } = region.material;
      const name = regionName(region.name, index);
      const slider = makeSlider({
        id: `young-${index}`,
        label: 'Young’s modulus',
        name: `Young’s modulus of ${name}`,
        scale: logScale(...youngRange(young, SLIDER_RANGE)),
        text: { format: (value) => formatUnit(value, 'Pa'), parse: (text) => parseUnit(text, 'Pa') },
        allowed: youngRange(young, TYPED_RANGE),
        change: (value) => {
          actions.setYoung(index, value);
        },
      });
      const reset = makeButton({
        id: `young-${index}-reset`,
        icon: makeIcon('reset'),
        title: `${name}: back to the model’s ${formatUnit(young, 'Pa')}`,
        kind: 'icon',
        click: () => {
          actions.setYoung(index, young);
        },
      });
      return { slider, reset };
    });
    list.replaceChildren(
      ...info.regions.map((region, index) => {
        const { law, poisson, density } = region.material;
        const facts = `${LAWS[law] ?? law}, ν ${formatDigits(poisson, 2)}, ${formatDensity(density)}`;
        const title = make('h3', {}, regionName(region.name, index));
        const head = make('div', { class: 'row' }, title, rows[index]!.reset);
        return make(
          'div',
          { class: 'region' },
          head,
          rows[index]!.slider.element,
          make('p', { class: 'hint' }, facts),
        );
      }),
    );
  }
  return {
    element: makeSection('material', 'Material', true, list),
    update({ info, young }) {
      if (info && info !== shown) build(info);
      rows.forEach(({ slider, reset }, index) => {
        const value = young[index];
        if (value === undefined) return;
        slider.set(value);
        reset.disabled = value === shown?.regions[index]?.material.young;
      });
    },
  };
}

export function makeVibrationsSection(actions: Actions): Part {
  const previous = makeButton({
    id: 'mode-previous',
    icon: makeIcon('previous'),
    title: 'Previous vibration',
    kind: 'icon',
    click: () => {
      actions.stepMode(-1);
    },
  });
  const next = makeButton({
    id: 'mode-next',
    icon: makeIcon('next'),
    title: 'Next vibration (V)',
    kind: 'icon',
    click: () => {
      actions.stepMode(1);
    },
  });
  const stop = makeButton({
    id: 'mode-stop',
    icon: makeIcon('stop'),
    title: 'Back to the simulation',
    kind: 'icon',
    click: () => {
      actions.setMode({ playing: null });
    },
  });
  const select = make('select', { 'data-testid': 'mode', 'aria-label': 'Natural vibration' });
  select.addEventListener('change', () => {
    actions.setMode({ playing: select.value === '' ? null : Number(select.value) });
  });
  const amplitude = makeSlider({
    id: 'mode-amplitude',
    label: 'Amplitude',
    name: 'Amplitude of the vibration',
    title: 'Largest displacement, in percent of the size of the body',
    scale: linearScale(1, 50, 1),
    text: { format: (value) => `${formatDigits(value, 2)} %`, parse: (text) => parsePlain(text, ['%']) },
    allowed: [0, 100],
    change: (value) => {
      actions.setMode({ amplitude: value / 100 });
    },
  });
  const rate = makeSlider({
    id: 'mode-rate',
    label: 'Periods per second',
    name: 'Periods per second of the vibration',
    scale: logScale(0.1, 5),
    text: {
      format: (value) => `${formatDigits(value, 2)} /s`,
      parse: (text) => parsePlain(text, ['1/s', '/s']),
    },
    allowed: [0.01, 20],
    change: (value) => {
      actions.setMode({ rate: value });
    },
  });
  const stepper = make('div', { class: 'stepper' }, previous, select, next, stop);
  const hint = make('p', { class: 'hint' }, 'Natural vibrations about the rest shape, in slow motion.');
  let listed: Float64Array | null = null;
  return {
    element: makeSection('vibrations', 'Vibrations', true, stepper, amplitude.element, rate.element, hint),
    update({ frequencies, mode }) {
      if (frequencies !== listed) {
        listed = frequencies;
        const options = Array.from(frequencies, (frequency, index) =>
          make('option', { value: index }, `${index + 1}: ${formatUnit(frequency, 'Hz')}`),
        );
        select.replaceChildren(make('option', { value: '' }, 'None'), ...options);
      }
      select.value = mode.playing === null ? '' : String(mode.playing);
      previous.disabled = next.disabled = select.disabled = frequencies.length === 0;
      stop.disabled = mode.playing === null;
      amplitude.set(mode.amplitude * 100);
      rate.set(mode.rate);
    },
  };
}

export function makeShowSection(actions: Actions): Part {
  const names: readonly (readonly [Overlay, string])[] = [
    ['mesh', 'Simulation mesh'],
    ['cubature', 'Cubature elements'],
    ['fixed', 'Fixed vertices'],
  ];
  const switches = names.map(([overlay, name]) => ({
    overlay,
    control: makeSwitch(`show-${overlay}`, name, (on) => {
      actions.setOverlay(overlay, on);
    }),
  }));
  return {
    element: makeSection('show', 'Show', true, ...switches.map(({ control }) => control.element)),
    update(state) {
      const { info, settings } = state;
      const shown = shownOverlays(state);
      for (const { overlay, control } of switches) {
        control.set(shown[overlay]);
        control.setReason(info && whyNoOverlay(overlay, info, settings.method));
      }
    },
  };
}

/** What is shown of the overlays that were asked for. */
export function shownOverlays({
  info,
  overlays,
  settings,
}: Pick<BodyState, 'info' | 'overlays' | 'settings'>): Record<Overlay, boolean> {
  const shown = (overlay: Overlay): boolean =>
    overlays[overlay] && info !== null && whyNoOverlay(overlay, info, settings.method) === null;
  return { mesh: shown('mesh'), cubature: shown('cubature'), fixed: shown('fixed') };
}

/** Why an overlay has nothing to show; null where it has. */
export function whyNoOverlay(overlay: Overlay, info: BodyInfo, method: Method): string | null {
  if (hasDomains(info)) return NOT_OF_DOMAINS;
  if (info.elementCount === 0) return 'The model file leaves its simulation mesh out';
  if (overlay === 'cubature' && info.cubaturePoints === 0)
    return 'The forces of this model are exact: there is no cubature';
  if (overlay !== 'fixed' && method === 'warped')
    return 'Warped modes move the surface, not the simulation mesh';
  if (overlay === 'fixed' && info.fixedCount === 0) return 'No vertex of this body is fixed';
  return null;
}

function factsOf(info: BodyInfo): [string, string][] {
  const several: [string, string][] = [
    ['Domains', formatCount(info.domains.length)],
    ['Parts', formatCount(info.parts.length)],
    ['Depth', formatCount(info.depth)],
  ];
  return [
    ...(hasDomains(info) ? several : []),
    ['Rank', formatCount(info.rank)],
    ['Vertices', formatCount(info.vertexCount)],
    ['Triangles', formatCount(info.triangleCount)],
    ['Elements', info.elementCount > 0 ? formatCount(info.elementCount) : 'not in the file'],
    ['Fixed vertices', info.free ? 'none: it flies' : formatCount(info.fixedCount)],
    ['Forces', info.exact ? 'exact polynomials' : `${formatCount(info.cubaturePoints)} cubature points`],
  ];
}

export function makeModelSection(): Part {
  const list = make('dl', { class: 'facts', 'data-testid': 'facts' });
  const description = make('p', { class: 'hint' });
  let shown: BodyInfo | null = null;
  return {
    element: makeSection('model', 'Model', false, list, description),
    update({ info }) {
      if (!info || info === shown) return;
      shown = info;
      list.replaceChildren(
        ...factsOf(info).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
      );
      setText(description, info.description);
    },
  };
}
