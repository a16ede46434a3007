// What the page shows, and what a person can do to it. The parts of the page read the one and call the other; none keeps
// values of its own.

import type { BodyInfo, SubtreeInertia, Vector3 } from '../../../runtime/src/types';
import { diagonal } from '../body_scale';
import type { Loaded } from '../client';
import type { Frame, HandlePriority, Hold, InForce, Settings, Shake } from '../protocol';
import { suitableShakeFrequency } from '../settings';
import { baseName } from '../settings_text';

/** Up on the screen is +z. */
export type Axis = '+x' | '-x' | '+y' | '-y' | '+z' | '-z';

export type Overlay = 'mesh' | 'cubature' | 'fixed';

/** Whether a click on the body makes a handle: not, the next one, or each while a key is held. */
export type Adding = 'no' | 'once' | 'held';

/** m/s^2 */
export const STANDARD_GRAVITY = 9.81;

export interface ViewState {
  /** Of the file, without `.glb`. */
  name: string;
  info: BodyInfo | null;
  /** Diagonal of the box around the body at rest, m. */
  size: number;
  settings: Settings;
  /** Of pulls, in multiples of the body's own stiffness. */
  strength: number;
  gravity: { on: boolean; direction: Axis; /** multiples of 9.81 m/s^2 */ strength: number };
  /** How what holds the body is shaken while `settings.shake` says that it is. */
  shake: {
    direction: Axis;
    /** Fraction of `size`. */
    amplitude: number;
    /** Hz */
    frequency: number;
  };
  /** Of each region, Pa. */
  young: number[];
  /** Hz */
  frequencies: Float64Array;
  mode: {
    /** Null: the simulation runs. */
    playing: number | null;
    /** Fraction of `size`. */
    amplitude: number;
    /** Periods per second. */
    rate: number;
  };
  overlays: Record<Overlay, boolean>;
  /** The handles themselves come with the frame. selected: the one that was used last. */
  handles: { adding: Adding; selected: number | null; priority: HandlePriority };
  sketch: { recording: boolean; count: number };
  /** Whether the camera goes along with a body that flies. */
  follow: boolean;
  domains: {
    colored: boolean;
    selected: number | null;
    /** Whether a change of stiffness is for all domains of the selected one's part. */
    wholePart: boolean;
    /** Factor of the elastic forces of each domain. */
    stiffness: number[];
  };
  frame: Frame | null;
}

export interface HandleActions {
  arm(adding: Adding): void;
  hold(handle: number, hold: Hold): void;
  /** null: all of them. */
  remove(handle: number | null): void;
  setPriority(priority: HandlePriority): void;
}

export interface DomainActions {
  color(on: boolean): void;
  /** null: none. */
  select(domain: number | null): void;
  setWholePart(on: boolean): void;
  /** Of the selected domain, or all of its part. */
  setStiffness(factor: number): void;
  /** All domains as the file has them. */
  resetStiffness(): void;
  setInertia(inertia: SubtreeInertia): void;
}

export interface Actions {
  readonly handles: HandleActions;
  readonly domains: DomainActions;
  set(settings: Partial<Settings>): void;
  step(): void;
  reset(): void;
  setStrength(strength: number): void;
  setGravity(change: Partial<ViewState['gravity']>): void;
  /** Begins or ends. */
  shake(on: boolean): void;
  setShake(change: Partial<ViewState['shake']>): void;
  setFollow(on: boolean): void;
  setYoung(region: number, young: number): void;
  setMode(change: Partial<ViewState['mode']>): void;
  /** The mode after or before the one that plays; from none, the first or the last. */
  stepMode(by: 1 | -1): void;
  setOverlay(overlay: Overlay, shown: boolean): void;
  record(on: boolean): void;
  saveSketch(): void;
  discardSketch(): void;
}

/** Whether a body has domains to tell apart. */
export function hasDomains(info: BodyInfo | null): boolean {
  return info !== null && info.domains.length > 1;
}

/** Why a control does nothing for a body that has. */
export const NOT_OF_DOMAINS = 'Of bodies with one domain only';

/** Why a body that flies is not shaken. */
export const NOT_HELD = 'Nothing holds this body: there is nothing to shake it by';

/** A part of the page. */
export interface Part {
  readonly element: HTMLElement;
  /** Shows the state as it is now. */
  update(state: ViewState): void;
}

export const DEFAULT_SETTINGS: Settings = {
  paused: false,
  speed: 1,
  timeStep: 1e-3,
  gravity: [0, 0, 0],
  damping: { mass: 0, stiffness: 0 },
  rank: 1,
  method: 'reduced',
  accuracy: 'fast',
  inertia: 'full',
  shake: null,
};

export function emptyState(): ViewState {
  return {
    name: '',
    info: null,
    size: 1,
    settings: DEFAULT_SETTINGS,
    strength: 10,
    gravity: { on: false, direction: '-z', strength: 1 },
    shake: { direction: '+x', amplitude: 0.05, frequency: 1 },
    young: [],
    frequencies: new Float64Array(),
    mode: { playing: null, amplitude: 0.1, rate: 0.5 },
    overlays: { mesh: false, cubature: false, fixed: false },
    handles: { adding: 'no', selected: null, priority: 'position' },
    sketch: { recording: false, count: 0 },
    follow: true,
    domains: { colored: false, selected: null, wholePart: false, stiffness: [] },
    frame: null,
  };
}

/** Of a body that was just loaded. What is a matter of taste stays as it was `before`. */
export function loadedState(loaded: Loaded, before: ViewState): ViewState {
  const { info, surface, settings, frequencies } = loaded;
  return {
    ...emptyState(),
    name: baseName(loaded.name),
    info,
    size: diagonal(surface.positions),
    settings,
    strength: before.strength,
    shake: { ...before.shake, frequency: suitableShakeFrequency(frequencies) },
    young: info.regions.map((region) => region.material.young),
    frequencies,
    mode: { ...before.mode, playing: null },
    follow: before.follow,
    domains: {
      ...before.domains,
      selected: null,
      stiffness: info.domains.map(({ stiffness }) => stiffness),
    },
  };
}

/** The worker refused a change: these values are the true ones. */
export function takeInForce(state: ViewState, { settings, young, stiffness, mode }: InForce): void {
  if (!state.info) return;
  if (settings) state.settings = { ...state.settings, ...settings };
  if (young) state.young = [...young];
  if (stiffness) state.domains = { ...state.domains, stiffness: [...stiffness] };
  if (mode) state.mode = { playing: mode.index, amplitude: mode.amplitude / state.size, rate: mode.rate };
  else if (mode === null) state.mode = { ...state.mode, playing: null };
}

export function axisVector(axis: Axis): Vector3 {
  const sign = axis.startsWith('-') ? -1 : 1;
  return [axis.endsWith('x') ? sign : 0, axis.endsWith('y') ? sign : 0, axis.endsWith('z') ? sign : 0];
}

/** m/s^2 of the switch, the direction and the slider together. */
export function gravityVector(gravity: ViewState['gravity']): Vector3 {
  const size = gravity.on ? gravity.strength * STANDARD_GRAVITY : 0;
  const [x, y, z] = axisVector(gravity.direction);
  return [x * size + 0, y * size + 0, z * size + 0]; // + 0: no negative zeros
}

/** What the sliders and the direction ask for together. */
export function shakeOf({ shake: { direction, amplitude, frequency }, size }: ViewState): Shake {
  const [x, y, z] = axisVector(direction);
  const metres = amplitude * size;
  return { amplitude: [x * metres, y * metres, z * metres], frequency };
}
