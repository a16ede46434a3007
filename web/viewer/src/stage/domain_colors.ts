// Colours by which the domains of a body are told apart.

import type { Surface, Vector3 } from '../../../runtime/src/types';

/** A surface in which each part is of one domain. */
export interface DomainSurface extends Surface {
  readonly partDomains: Uint32Array;
}

/** The surface with a part for each domain and part in it, so that domains can have colours of their own. */
export function splitByDomain(surface: Surface): DomainSurface {
  const { parts, triangleParts, triangleDomains } = surface;
  const numbers = new Map<number, number>();
  const split = triangleParts.map((part, triangle) => {
    const key = triangleDomains[triangle]! * parts.length + part;
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  });
  const keys = [...numbers.keys()];
  return {
    ...surface,
    triangleParts: split,
    parts: keys.map((key) => parts[key % parts.length]!),
    partDomains: Uint32Array.from(keys, (key) => Math.floor(key / parts.length)),
  };
}

/** What of the domains is shown. */
export interface DomainView {
  /** Each in a colour of its own, in place of the body's. */
  readonly colored: boolean;
  /** The one that stands out; null: none. */
  readonly selected: number | null;
}

/** Steps of this share of a turn keep all hues apart, however many there are. */
const goldenRatio = 0.618034;
const accent: Vector3 = [1, 0.45, 0.05];
const pale: Vector3 = [0.82, 0.83, 0.85];
/** How far the others fade to make one stand out. */
const fade = 0.72;

function mix(a: Vector3, b: Vector3, share: number): Vector3 {
  const at = (i: 0 | 1 | 2): number => a[i] + share * (b[i] - a[i]);
  return [at(0), at(1), at(2)];
}

/** sRGB, bright and not too strong; domains that follow each other differ. */
export function domainColor(domain: number): Vector3 {
  const hue = (domain * goldenRatio + 0.58) % 1;
  const light = domain % 2 === 0 ? 0.62 : 0.52;
  const channel = (offset: number): number => {
    const k = (offset + hue * 12) % 12;
    return light - 0.5 * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

/** sRGB of each part of a surface; null: their own. */
export function partColors({ parts, partDomains }: DomainSurface, view: DomainView): Vector3[] | null {
  if (!view.colored && view.selected === null) return null;
  return parts.map(({ color }, part) => {
    const domain = partDomains[part]!;
    if (domain === view.selected) return accent;
    const own = view.colored ? domainColor(domain) : color;
    return view.selected === null ? own : mix(own, pale, fade);
  });
}
