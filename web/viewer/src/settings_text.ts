// Numbers as a person reads, types and slides them.

const PREFIXES: readonly (readonly [string, number])[] = [
  ['n', 1e-9],
  ['µ', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
];

/** `value` with so many significant digits, never as 1e+5: 0.123, 12.3, 123, 1230. */
export function formatDigits(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const magnitude = Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(12, Math.max(0, digits - 1 - magnitude)));
}

/** With an SI prefix and three digits: 2.00 MPa, 150 kPa, 12.5 ms. Zero is `0 Pa`. */
export function formatUnit(value: number, unit: string, digits = 3): string {
  if (!Number.isFinite(value)) return '–';
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size < 1e-12) return `0 ${unit}`;
  let [prefix, factor] = PREFIXES[0]!;
  for (const [name, scale] of PREFIXES) if (size >= scale * (1 - 1e-12)) [prefix, factor] = [name, scale];
  return `${formatDigits(rounded / factor, digits)} ${prefix}${unit}`;
}

/**
 * Reads what `formatUnit` writes and what people type: `2.5 MPa`, `2500k`, `2.5e6`, `150 kPa`. Null for anything else,
 * a decimal comma included: 1,500 means two things.
 */
export function parseUnit(text: string, unit: string): number | null {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(.*)$/.exec(text.trim());
  if (!match) return null;
  let rest = match[2]!.trim();
  if (unit !== '' && rest.endsWith(unit)) rest = rest.slice(0, rest.length - unit.length).trim();
  if (rest === 'u' || rest === 'μ') rest = 'µ'; // a plain u and a Greek mu for the micro sign
  const prefix = PREFIXES.find(([name]) => name === rest);
  if (!prefix) return null;
  const value = Number(match[1]) * prefix[1];
  return Number.isFinite(value) ? value : null;
}

/** Reads a number with or without its unit, without prefixes: `3`, `3 ×`, `0.5 1/s`. */
export function parsePlain(text: string, units: readonly string[] = []): number | null {
  let rest = text.trim();
  for (const unit of units) if (unit !== '' && rest.endsWith(unit)) rest = rest.slice(0, -unit.length).trim();
  return parseUnit(rest, '') !== null && /^[+\-.\deE]+$/.test(rest) ? Number(rest) : null;
}

/** As `formatUnit`, without zeros at the end: 500 mJ, 2.5 J. */
export function formatTick(value: number, unit: string): string {
  const [number, rest] = formatUnit(value, unit).split(' ');
  return `${number!.includes('.') ? number!.replace(/\.?0+$/, '') : number!} ${rest ?? ''}`.trim();
}

/** Whole numbers in groups of three: 12,345. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Seconds with hundredths, minutes from 60 s on: 3.20 s, 2:05.50. */
export function formatTime(seconds: number): string {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  if (hundredths < 6000) return `${(hundredths / 100).toFixed(2)} s`;
  const rest = ((hundredths % 6000) / 100).toFixed(2).padStart(5, '0');
  return `${Math.floor(hundredths / 6000)}:${rest}`;
}

/** How a slider's position, a number from `min` to `max` in steps of `step`, stands for a value. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The nearest position; values beyond the ends give the ends. */
  toPosition(value: number): number;
  toValue(position: number): number;
}

const LOG_STEPS = 1000;

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Positions are the values themselves. */
export function linearScale(min: number, max: number, step: number): Scale {
  return {
    min,
    max,
    step,
    toPosition: (value) => clamp(min + Math.round((value - min) / step) * step, min, max),
    toValue: (position) => Number(clamp(position, min, max).toPrecision(12)),
  };
}

/** Equal steps are equal factors. Values have three digits, so that what is shown is what is used. */
export function logScale(low: number, high: number): Scale {
  const span = Math.log(high / low);
  return {
    min: 0,
    max: LOG_STEPS,
    step: 1,
    toPosition: (value) => clamp(Math.round((Math.log(value / low) / span) * LOG_STEPS), 0, LOG_STEPS),
    toValue: (position) => {
      const value = low * Math.exp((span * clamp(position, 0, LOG_STEPS)) / LOG_STEPS);
      return Number(value.toPrecision(3));
    },
  };
}

/** A log scale whose left end is zero instead of `low`. */
export function zeroLogScale(low: number, high: number): Scale {
  const scale = logScale(low, high);
  return {
    ...scale,
    toPosition: (value) => (value <= 0 ? 0 : Math.max(1, scale.toPosition(value))),
    toValue: (position) => (position <= 0 ? 0 : scale.toValue(position)),
  };
}

/** A fraction of real time as people say it: 1, 1/2, 1/5. */
export function formatSpeed(speed: number): string {
  return speed >= 1 ? String(speed) : `1/${Math.round(1 / speed)}`;
}

/** The name of a file without its folders and its `.glb`. */
export function baseName(name: string): string {
  const last = name.split(/[\\/]/).pop() ?? name;
  return last.replace(/\.glb$/i, '') || 'model';
}
