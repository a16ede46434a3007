// Sections of the panel about what acts on the body and how its motion is computed.

import {
  formatCount,
  formatDigits,
  formatUnit,
  linearScale,
  logScale,
  parsePlain,
  parseUnit,
  zeroLogScale,
} from '../settings_text';
import type { Method, UpAxis } from '../../../runtime/src/types';
import { makeChoice, makeSection, makeSlider, makeSwitch, type ValueText } from './controls';
import { make, setText } from './dom';
import { type Actions, type Axis, hasDomains, type Part, type ViewState } from './state';

/** Multiples: `3.00 ×`. */
export const multiples: ValueText = {
  format: (value) => `${formatDigits(value)} ×`,
  parse: (text) => parsePlain(text, ['×', 'x']),
};

const METHODS: readonly (readonly [Method, string])[] = [
  ['reduced', 'Reduced forces'],
  ['warped', 'Warped modes'],
];
const SKETCHING: readonly (readonly [Method, string])[] = [['linear', 'Linear, for the sketch']];

const PULL_HINTS: Readonly<Record<Method, string>> = {
  reduced: 'Drag any point of the body. A spring pulls it to the pointer.',
  linear: 'Drag any point of the body. A spring pulls it to the pointer.',
  warped: 'Drag any point of the body. It follows the pointer as far as it can.',
};

/** Why the motion cannot be chosen; null where it can. */
export function whyNoChoice({ info, settings }: ViewState): string | null {
  if (info && !info.warpable) {
    return 'The model file holds no rotations for warped modes; make it again with limber reduce';
  }
  return settings.method === 'linear' ? 'Stop recording the sketch to change the motion' : null;
}

export function makePullSection(actions: Actions): Part {
  const method = makeChoice('method', 'Motion', (value) => {
    actions.set({ method: value as Method });
  });
  method.element.title =
    'Reduced forces: those of the model. Warped modes: linear vibrations whose points turn, fast and with handles';
  const strength = makeSlider({
    id: 'strength',
    label: 'Strength',
    name: 'Pull strength',
    title: 'In multiples of the stiffness of the body where it is grabbed',
    scale: logScale(0.1, 100),
    text: multiples,
    allowed: [0.01, 1000],
    change: (value) => {
      actions.setStrength(value);
    },
  });
  const follow = makeSwitch('follow', 'Camera follows the body', (on) => {
    actions.setFollow(on);
  });
  const hint = make('p', { class: 'hint' });
  return {
    element: makeSection('pull', 'Pull', true, method.element, strength.element, follow.element, hint),
    update(state) {
      const current = state.settings.method;
      method.element.hidden = hasDomains(state.info);
      follow.element.hidden = !state.info?.free;
      follow.set(state.follow);
      method.setOptions(current === 'linear' ? SKETCHING : METHODS);
      method.set(current);
      method.setReason(whyNoChoice(state));
      strength.set(state.strength);
      strength.setReason(current === 'warped' ? 'Of springs only: warped modes are held by handles' : null);
      setText(hint, PULL_HINTS[current]);
    },
  };
}

/** Down first, by what is up in the scene. */
function directionsOf(up: UpAxis): readonly (readonly [Axis, string])[] {
  const others = (['x', 'y', 'z'] as const).filter((axis) => axis !== up);
  return [
    [`-${up}`, `Down (−${up})`],
    [`+${up}`, `Up (+${up})`],
    ...others.flatMap((axis): (readonly [Axis, string])[] => [
      [`+${axis}`, `Along +${axis}`],
      [`-${axis}`, `Along −${axis}`],
    ]),
  ];
}

export function makeGravitySection(actions: Actions): Part {
  const change = (on: boolean): void => {
    actions.setGravity({ on });
  };
  const toggle = makeSwitch('gravity', 'On', change, 'Gravity');
  const choose = (value: string): void => {
    actions.setGravity({ direction: value as Axis, on: true });
  };
  const direction = makeChoice('gravity-direction', 'Direction', choose, 'Gravity direction');
  let up: UpAxis = 'z';
  direction.setOptions(directionsOf(up));
  const strength = makeSlider({
    id: 'gravity-strength',
    label: 'Strength',
    name: 'Gravity strength',
    title: 'In multiples of 9.81 m/s²',
    scale: linearScale(0, 5, 0.05),
    text: {
      format: (value) => `${value.toFixed(2)} g`,
      parse: (text) => parsePlain(text, ['×', 'x', 'g']),
    },
    allowed: [0, 1000],
    change: (value) => {
      actions.setGravity({ strength: value, on: true });
    },
  });
  return {
    element: makeSection('gravity', 'Gravity', true, toggle.element, direction.element, strength.element),
    update(state) {
      toggle.set(state.gravity.on);
      if (state.up !== up) direction.setOptions(directionsOf((up = state.up)));
      direction.set(state.gravity.direction);
      strength.set(state.gravity.strength);
    },
  };
}

export function makeDampingSection(actions: Actions): Part {
  let damping = { mass: 0, stiffness: 0 };
  const mass = makeSlider({
    id: 'damping-mass',
    label: 'Of all motion (α)',
    name: 'Damping of all motion (α)',
    title: 'Mass-proportional damping: slows every motion alike',
    scale: zeroLogScale(0.01, 1000),
    text: {
      format: (value) => `${formatDigits(value)} 1/s`,
      parse: (text) => parsePlain(text, ['1/s', '/s']),
    },
    allowed: [0, 1e6],
    change: (value) => {
      actions.set({ damping: { ...damping, mass: value } });
    },
  });
  const stiffness = makeSlider({
    id: 'damping-stiffness',
    label: 'Of deformation (β)',
    name: 'Damping of deformation (β)',
    title: 'Stiffness-proportional damping: slows fast vibrations most',
    scale: zeroLogScale(1e-7, 0.1),
    text: { format: (value) => formatUnit(value, 's'), parse: (text) => parseUnit(text, 's') },
    allowed: [0, 1e6],
    change: (value) => {
      actions.set({ damping: { ...damping, stiffness: value } });
    },
  });
  return {
    element: makeSection('damping', 'Damping', false, mass.element, stiffness.element),
    update({ settings }) {
      damping = { ...settings.damping };
      mass.set(damping.mass);
      stiffness.set(damping.stiffness);
    },
  };
}

const ACCURACIES = [
  ['fast', 'Fast'],
  ['exact', 'Exact'],
] as const;

export function makeSolverSection(actions: Actions): Part {
  const rank = makeSlider({
    id: 'rank',
    label: 'Rank',
    title: 'Coordinates in use: fewer are faster, more follow the body better',
    scale: linearScale(1, 1, 1),
    text: {
      format: String,
      parse: (text) => {
        const value = parsePlain(text);
        return value === null ? null : Math.round(value);
      },
    },
    allowed: [1, 1],
    change: (value) => {
      actions.set({ rank: value });
    },
  });
  const timeStep = makeSlider({
    id: 'time-step',
    label: 'Time step',
    scale: logScale(1e-5, 1 / 30),
    text: { format: (value) => formatUnit(value, 's'), parse: (text) => parseUnit(text, 's') },
    allowed: [1e-7, 0.1],
    change: (value) => {
      actions.set({ timeStep: value });
    },
  });
  const accuracy = makeChoice('accuracy', 'Accuracy', (value) => {
    actions.set({ accuracy: value === 'exact' ? 'exact' : 'fast' });
  });
  accuracy.setOptions(ACCURACIES);
  accuracy.element.title = 'Fast: one linearised step. Exact: Newton’s iteration to convergence';
  const hint = make('p', { class: 'hint' });
  let rankOfModel = 0;
  return {
    element: makeSection('solver', 'Solver', false, rank.element, timeStep.element, hint, accuracy.element),
    update({ info, settings }: ViewState) {
      rank.element.hidden = hasDomains(info);
      if (info && info.rank !== rankOfModel) {
        rankOfModel = info.rank;
        rank.setScale(linearScale(1, info.rank, 1), [1, info.rank]);
      }
      rank.set(settings.rank);
      timeStep.set(settings.timeStep);
      accuracy.set(settings.accuracy);
      setText(hint, `${formatCount(settings.speed / settings.timeStep)} steps per second of real time`);
    },
  };
}
