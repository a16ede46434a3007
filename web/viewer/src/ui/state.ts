// What the page shows, and what a person can do to it. The parts of the page read the one and call the other; none keeps
// values of its own.

import type { BodyInfo, SubtreeInertia, UpAxis, Vector3 } from '../../../runtime/src/types';
import { boxOf, sizeOf } from '../place';
import type { Loaded } from '../client';
import type { ClipChange, ClipState } from '../clip_player';
import type {
  BodySettings,
  Frame,
  HandlePriority,
  Hold,
  InForce,
  Settings,
  Shake,
  WorldSettings,
} from '../protocol';
import { splitSettings, suitableShakeFrequency } from '../settings';
import { baseName, formatUnit } from '../settings_text';
import { sameNumbers } from '../turning';

/** Of the scene. */
export type Axis = '+x' | '-x' | '+y' | '-y' | '+z' | '-z';

export type Overlay = 'mesh' | 'cubature' | 'fixed';

/** Whether a click on the body makes a handle: not, the next one, or each while a key is held. */
export type Adding = 'no' | 'once' | 'held';

/** m/s^2 */
export const STANDARD_GRAVITY = 9.81;

/** What all bodies share. */
export interface WorldState {
  settings: WorldSettings;
  /** Of pulls, in multiples of a body's own stiffness. */
  strength: number;
  gravity: { on: boolean; direction: Axis; /** multiples of 9.81 m/s^2 */ strength: number };
  /** Which way is up: as the first body stands. */
  up: UpAxis;
  /** Whether the camera goes along with the selected body, where that flies. */
  follow: boolean;
  /** Whether it is shown where bodies are pushed. */
  contacts: boolean;
}

/** What is of one body. */
export interface BodyState {
  /** As the simulation numbers it; 0 where there is none. */
  id: number;
  /** Of the file, without `.glb`, and numbered where others have it. */
  name: string;
  info: BodyInfo | null;
  /** Diagonal of the box around the body at rest, m. */
  size: number;
  settings: BodySettings;
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

/** What the page shows: the world, and of its bodies the selected one. */
export interface ViewState extends Omit<WorldState, 'settings'>, Omit<BodyState, 'settings'> {
  readonly settings: Settings;
  /** All of them, in the order of their coming. */
  readonly bodies: readonly Pick<BodyState, 'id' | 'name'>[];
  /** Whether there are bodies, and all of them show vibrations: then there are no steps to take. */
  readonly allPlaying: boolean;
  /** What plays in place of bodies; null: nothing. */
  readonly clip: ClipState | null;
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
  /** Another body, which the panel is about from now on. */
  select(body: number): void;
  /** Takes a body away. */
  remove(body: number): void;
  set(settings: Partial<Settings>): void;
  /** Plays the clip otherwise. */
  setClip(change: ClipChange): void;
  step(): void;
  reset(): void;
  setStrength(strength: number): void;
  setGravity(change: Partial<WorldState['gravity']>): void;
  /** Begins or ends. */
  shake(on: boolean): void;
  setShake(change: Partial<ViewState['shake']>): void;
  setFollow(on: boolean): void;
  /** Whether it is shown where bodies are pushed. */
  setContacts(on: boolean): void;
  /** Lifts the selected body by its height and lets it go. */
  drop(): void;
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

/** Why a body that is held is not dropped. */
export const HELD = 'Something holds this body: it cannot fall';

/** A part of the page. */
export interface Part {
  readonly element: HTMLElement;
  /** Shows the state as it is now. */
  update(state: ViewState): void;
}

export function emptyWorld(up: UpAxis = 'z'): WorldState {
  return {
    settings: {
      paused: false,
      speed: 1,
      timeStep: 1e-3,
      gravity: [0, 0, 0],
      ground: true,
      obstacle: false,
      tool: false,
    },
    strength: 10,
    gravity: { on: false, direction: `-${up}`, strength: 1 },
    up,
    follow: true,
    contacts: false,
  };
}

/** Of no body. */
export function emptyBody(): BodyState {
  return {
    id: 0,
    name: '',
    info: null,
    size: 1,
    settings: {
      damping: { mass: 0, stiffness: 0 },
      rank: 1,
      method: 'reduced',
      accuracy: 'fast',
      inertia: 'full',
      shake: null,
    },
    shake: { direction: '+x', amplitude: 0.05, frequency: 1 },
    young: [],
    frequencies: new Float64Array(),
    mode: { playing: null, amplitude: 0.1, rate: 0.5 },
    overlays: { mesh: false, cubature: false, fixed: false },
    handles: { adding: 'no', selected: null, priority: 'position' },
    sketch: { recording: false, count: 0 },
    domains: { colored: false, selected: null, wholePart: false, stiffness: [] },
    frame: null,
  };
}

/** What is shown of a world whose selected body is this one. */
export function viewOf(
  world: WorldState,
  body: BodyState,
  bodies: readonly BodyState[] = [],
  clip: ClipState | null = null,
): ViewState {
  return {
    ...world,
    ...body,
    settings: { ...world.settings, ...body.settings },
    bodies: bodies.map(({ id, name }) => ({ id, name })),
    allPlaying: bodies.length > 0 && bodies.every(({ mode }) => mode.playing !== null),
    clip,
  };
}

export function emptyState(): ViewState {
  return viewOf(emptyWorld(), emptyBody());
}

/** A body that was just loaded. What is a matter of taste is as of the one `before`; taken: names of others. */
export function loadedState(loaded: Loaded, before: BodyState, taken: readonly string[] = []): BodyState {
  const { info, surface, settings, frequencies } = loaded;
  return {
    ...emptyBody(),
    id: loaded.body,
    name: freeName(baseName(loaded.name), taken),
    info,
    size: sizeOf(boxOf(surface.positions)),
    settings,
    shake: { ...before.shake, frequency: suitableShakeFrequency(frequencies) },
    young: info.regions.map((region) => region.material.young),
    frequencies,
    mode: { ...before.mode, playing: null },
    domains: {
      ...before.domains,
      selected: null,
      stiffness: info.domains.map(({ stiffness }) => stiffness),
    },
  };
}

/** A name that none of the others has: `spoon`, `spoon 2`. */
function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let i = 2; ; ++i) if (!taken.includes(`${name} ${i}`)) return `${name} ${i}`;
}

/** Settings of the world; the controls of gravity show what these say. */
export function takeWorld(world: WorldState, settings: Partial<WorldSettings>): void {
  world.settings = { ...world.settings, ...settings };
  world.gravity = gravityControls(world.settings.gravity, world.gravity);
}

/** The worker refused a change: these values are the true ones. */
export function takeInForce(world: WorldState, body: BodyState, inForce: InForce): void {
  if (!body.info) return;
  const { settings, young, stiffness, mode } = inForce;
  if (settings) {
    const { ofWorld, ofBody } = splitSettings(settings);
    takeWorld(world, ofWorld);
    body.settings = { ...body.settings, ...ofBody };
  }
  if (young) body.young = [...young];
  if (stiffness) body.domains = { ...body.domains, stiffness: [...stiffness] };
  if (mode) body.mode = { playing: mode.index, amplitude: mode.amplitude / body.size, rate: mode.rate };
  else if (mode === null) body.mode = { ...body.mode, playing: null };
}

export function axisVector(axis: Axis): Vector3 {
  const sign = axis.startsWith('-') ? -1 : 1;
  return [axis.endsWith('x') ? sign : 0, axis.endsWith('y') ? sign : 0, axis.endsWith('z') ? sign : 0];
}

/** m/s^2 of the switch, the direction and the slider together. */
export function gravityVector(gravity: WorldState['gravity']): Vector3 {
  const size = gravity.on ? gravity.strength * STANDARD_GRAVITY : 0;
  const [x, y, z] = axisVector(gravity.direction);
  return [x * size + 0, y * size + 0, z * size + 0]; // + 0: no negative zeros
}

/** The other way round, for the nearest axis; before: what they show already, and go on to show where gravity is off. */
function gravityControls(gravity: Vector3, before: WorldState['gravity']): WorldState['gravity'] {
  if (sameNumbers(gravity, gravityVector(before))) return before;
  const size = Math.hypot(...gravity);
  if (size === 0) return { ...before, on: false };
  const sizes = gravity.map(Math.abs);
  const axis = sizes.indexOf(Math.max(...sizes)) as 0 | 1 | 2;
  const direction = `${gravity[axis] < 0 ? '-' : '+'}${(['x', 'y', 'z'] as const)[axis]}` as const;
  return { on: true, direction, strength: size / STANDARD_GRAVITY };
}

/** What to say of a body that was put back to rest; name: of it, null where it is alone. reason: the beginning of a sentence. */
export function restartText(name: string | null, reason: string, paused: boolean): string {
  const what = `${reason}: ${name ?? 'the body'} was put back to rest${paused ? ' and paused' : ''}.`;
  return `${what} A smaller time step, more damping or weaker loads help.`;
}

/** What is said while models are opened, one after the other. */
export function openingText(name: string, index: number, count: number): string {
  return `Opening ${baseName(name)}${count > 1 ? `, ${index + 1} of ${count}` : ''}`;
}

/** What is said of a vibration that plays; name: of the body, null where it is alone. */
export function playingText(index: number, frequencies: Float64Array, name: string | null): string {
  const frequency = frequencies[index];
  const hertz = frequency === undefined ? '' : `, ${formatUnit(frequency, 'Hz')}, slowed down`;
  return `${name === null ? '' : `${name}: `}vibration ${index + 1} of ${frequencies.length}${hertz}`;
}

/** Of a body that stands otherwise than the scene. */
export function lyingText(name: string, up: UpAxis, sceneUp: UpAxis): string {
  return `${name} stands with ${up} up, this scene with ${sceneUp}: it lies here. Opened alone or first it stands.`;
}

/** What the sliders and the direction ask for together. */
export function shakeOf({ shake: { direction, amplitude, frequency }, size }: BodyState): Shake {
  const [x, y, z] = axisVector(direction);
  const metres = amplitude * size;
  return { amplitude: [x * metres, y * metres, z * metres], frequency };
}
