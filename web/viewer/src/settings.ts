// How a body is run: what suits it at first, and which values are taken.

import type { BodyInfo, Damping, Vector3 } from '../../runtime/src/types';
import type { BodySettings, Settings, WorldSettings } from './protocol';

/** Bodies up to this lowest frequency, Hz, are shown in real time: an eye still follows them. */
const followedFrequency = 12;
/** Frequency, Hz of the wall clock, at which faster bodies are shown: a sway that one sees well. */
const shownFrequency = 4;
/** s. */
const longestBodyStep = 1 / 240;
/** s: a tree of a thousand domains takes some milliseconds for a step. */
export const longestTreeStep = 1 / 50;
/** Seconds of the wall clock after which the slowest vibration is down to 5 % (= exp(-3)). */
const restSeconds = 2.5;

/**
 * Lowest frequency of a vibration, Hz. Rigid motion of a body that is not held has frequencies that are zero up to rounding:
 * they do not count. 1 where there is none.
 */
export function lowestFrequency(frequencies: Float64Array): number {
  const highest = frequencies.reduce((a, b) => (Number.isFinite(b) ? Math.max(a, b) : a), 0);
  return frequencies.find((f) => f > 1e-6 * highest && Number.isFinite(f)) ?? 1;
}

/** The largest of 1, 2, 5 times a power of ten that is not above x > 0. */
export function niceBelow(x: number): number {
  const exponent = Math.floor(Math.log10(x) + 1e-12);
  const digit = [5, 2, 1].find((d) => d <= (x / 10 ** exponent) * (1 + 1e-9)) ?? 1;
  return Number(`${digit}e${exponent}`); // by text: the nearest number to the decimal one
}

/** 1, 1/2, 1/5, 1/10 ... 1/1000: the one nearest to x by ratio. */
function niceSpeed(x: number): number {
  const divisors = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const distance = (divisor: number): number => Math.abs(Math.log(x * divisor));
  return 1 / divisors.reduce((best, d) => (distance(d) < distance(best) ? d : best));
}

/**
 * Damping by which motion dies in about `restSeconds` as seen, i.e. at this speed, and ripples sooner.
 * A vibration with angular frequency w has the damping ratio alpha / (2 w) + beta w / 2. Half of the ratio zeta of the slowest
 * one, w1, comes from each: alpha = zeta w1, beta = zeta / w1, so that one at 10 w1 has 5 zeta. The ratio is held between 2 % (a
 * body that swings ten times a second would seem to ring for ever) and 8 % (a slow jelly would seem to move in honey).
 */
function suitableDamping(f1: number, speed: number): Damping {
  const w1 = 2 * Math.PI * f1;
  const ratio = Math.min(Math.max(3 / (w1 * restSeconds * speed), 0.02), 0.08);
  return { mass: ratio * w1, stiffness: ratio / w1 };
}

/**
 * What suits a body with these frequencies, Hz. A 1 Hz jelly: real time, 2 ms steps. A 300 Hz fork: 1/100 of real time, so
 * that it sways 3 times a second, and 50 us steps. The slowest vibration gets 40 steps a period at least: implicit steps are
 * stable at any size, but large ones damp what one wants to see. longestStep: s.
 * world: that it joins, null where it is alone; this goes as slow and takes steps as short as suits all.
 */
export function defaultSettings(
  rank: number,
  frequencies: Float64Array,
  longestStep = longestBodyStep,
  world: WorldSettings | null = null,
): Settings {
  const f1 = lowestFrequency(frequencies);
  const suitable = f1 <= followedFrequency ? 1 : niceSpeed(Math.min(Math.max(shownFrequency / f1, 0.001), 1));
  const speed = Math.min(suitable, world?.speed ?? Infinity);
  const timeStep = niceBelow(Math.min(Math.max(1 / (40 * f1), 1e-5), longestStep));
  return {
    paused: world?.paused ?? false,
    speed,
    timeStep: Math.min(timeStep, world?.timeStep ?? Infinity),
    gravity: world?.gravity ?? [0, 0, 0],
    ground: world?.ground ?? true,
    obstacle: world?.obstacle ?? false,
    tool: world?.tool ?? false,
    damping: suitableDamping(f1, speed),
    rank,
    method: 'reduced',
    accuracy: 'fast',
    inertia: 'full',
    shake: null,
  };
}

/** Hz, at which what holds a body may be shaken. */
export const shakeFrequencies: readonly [low: number, high: number] = [1e-3, 1e4];
/** m */
const largestShake = 1e4;

/**
 * Hz. A body with these frequencies sways in time with its support then, by 1 / (1 / r^2 - 1) = 1.3 times the amplitude for the ratio
 * r = 3/4 to its slowest vibration: one sees it bend, and it is not in resonance yet.
 */
export function suitableShakeFrequency(frequencies: Float64Array): number {
  const [low, high] = shakeFrequencies;
  return Math.min(Math.max(Number((0.75 * lowestFrequency(frequencies)).toPrecision(2)), low), high);
}

/** What a body allows. */
type Limits = Pick<BodyInfo, 'rank' | 'warpable' | 'domains' | 'free'>;

type Check<T> = (value: T, limits: Limits) => string | null;

const inRange = (value: number, low: number, high: number): boolean => value >= low && value <= high;

/** null: fine. Else what was expected, as the beginning of a sentence. */
const checks: { readonly [K in keyof Settings]: Check<Settings[K]> } = {
  paused: (value) => (typeof value === 'boolean' ? null : 'Pause: expected true or false'),
  speed: (value) => (inRange(value, 1e-5, 10) ? null : 'Speed: expected 0.00001 to 10'),
  timeStep: (value) => (inRange(value, 1e-7, 0.1) ? null : 'Time step: expected 0.0000001 to 0.1 s'),
  gravity: (value) =>
    isVector(value) && Math.hypot(...value) <= 1e4 ? null : 'Gravity: expected at most 10000 m/s^2',
  ground: (value) => (typeof value === 'boolean' ? null : 'Ground: expected true or false'),
  obstacle: (value) => (typeof value === 'boolean' ? null : 'Obstacle: expected true or false'),
  tool: (value) => (typeof value === 'boolean' ? null : 'Tool ball: expected true or false'),
  damping: ({ mass, stiffness }) =>
    inRange(mass, 0, 1e6) && inRange(stiffness, 0, 1e6) ? null : 'Damping: expected 0 to 1000000',
  rank: (value, { rank, domains }) =>
    Number.isInteger(value) && inRange(value, domains.length > 1 ? rank : 1, rank)
      ? null
      : `Rank: expected ${domains.length > 1 ? '' : '1 to '}${rank}`,
  method: (value, { warpable }) => {
    const known = ['reduced', 'linear', ...(warpable ? ['warped'] : [])];
    return known.includes(value) ? null : `Motion: expected ${known.join(' or ')}`;
  },
  accuracy: (value) => (['fast', 'exact'].includes(value) ? null : 'Accuracy: expected fast or exact'),
  inertia: (value) =>
    ['interface', 'center', 'full'].includes(value)
      ? null
      : 'Inertia of subtrees: expected interface, center or full',
  shake: (value, { free }) => {
    if (value === null) return null;
    if (free) return 'Shaking: expected none of a body that nothing holds';
    const { amplitude, frequency } = value;
    const size = isVector(amplitude) ? Math.hypot(...amplitude) : NaN;
    return size > 0 && size <= largestShake && inRange(frequency, ...shakeFrequencies)
      ? null
      : 'Shaking: expected an amplitude above 0 and up to 10000 m, and 0.001 to 10000 Hz';
  },
};

/** Whether v is three finite numbers. */
function isVector(v: readonly number[]): boolean {
  return v.length === 3 && v.every((x) => Number.isFinite(x));
}

/** What is wrong with this change, one text per value, and the change without those values. */
export function checkSettings(
  change: Partial<Settings>,
  limits: Limits,
): { readonly accepted: Partial<Settings>; readonly problems: readonly string[] } {
  const accepted: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [key, value] of Object.entries(change)) {
    const check = checks[key as keyof Settings] as Check<unknown> | undefined;
    const problem = check ? check(value, limits) : `${key}: there is no such setting`;
    if (problem === null) accepted[key] = value;
    else problems.push(`${problem}, found ${describe(value)}`);
  }
  return { accepted: accepted as Partial<Settings>, problems };
}

const worldKeys: readonly string[] = ['paused', 'speed', 'timeStep', 'gravity', 'ground', 'obstacle', 'tool'];

/** What of some settings is the world's, and what a body's. */
export function splitSettings<S extends Partial<Settings>>(
  settings: S,
): {
  readonly ofWorld: Pick<S, keyof S & keyof WorldSettings>;
  readonly ofBody: Pick<S, keyof S & keyof BodySettings>;
} {
  type Split = ReturnType<typeof splitSettings<S>>;
  const kept = (isWorlds: boolean): object =>
    Object.fromEntries(Object.entries(settings).filter(([key]) => worldKeys.includes(key) === isWorlds));
  return { ofWorld: kept(true), ofBody: kept(false) } as Split;
}

/** The values of `settings` that a change names. */
export function namedSettings(settings: Settings, change: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key in change));
}

/** JSON writes numbers that are not finite as null. */
function describe(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** name: of what it is, as the beginning of a sentence. */
export function requireVector(v: Vector3, name: string): void {
  if (!isVector(v)) throw new Error(`${name}: expected three finite numbers.`);
}

export function requireStrength(strength: number): void {
  if (!(strength > 0 && strength <= 1e6)) {
    throw new Error(`Strength of the pull: expected more than 0 and at most 1000000, found ${strength}.`);
  }
}

/** Pa */
export const largestYoung = 1e15;

export function requireYoung(young: number): void {
  if (!(young > 0 && young <= largestYoung)) {
    throw new Error(`Young's modulus: expected more than 0 and at most 1e15 Pa, found ${young}.`);
  }
}

export const stiffnessFactors: readonly [low: number, high: number] = [1e-6, 1e6];

export function requireStiffness(factor: number): void {
  const [low, high] = stiffnessFactors;
  if (!(factor >= low && factor <= high)) {
    throw new Error(`Stiffness of a domain: expected 0.000001 to 1000000, found ${factor}.`);
  }
}

export function requireDomain(domain: number, count: number): void {
  if (!Number.isInteger(domain) || domain < 0 || domain >= count) {
    throw new Error(`Domain: expected 0 to ${count - 1}, found ${domain}.`);
  }
}

export function requireRegion(region: number, count: number): void {
  if (!Number.isInteger(region) || region < 0 || region >= count) {
    throw new Error(`Region: expected 0 to ${count - 1}, found ${region}.`);
  }
}
