import type { SupportKey, Vector3 } from '../../runtime/src/types';

/** The motion that a body makes of keys: cubic splines with continuous second derivatives, at rest at both ends. (src/limber/warp/pose.cpp) */
export function spline(keys: readonly SupportKey[]): (t: number) => Vector3 {
  const times = keys.map(({ time }) => time);
  const tracks = ([0, 1, 2] as const).map((axis) =>
    splineOf(
      times,
      keys.map(({ position }) => position![axis]),
    ),
  );
  return (t) => [tracks[0]!(t), tracks[1]!(t), tracks[2]!(t)];
}

function splineOf(times: readonly number[], x: readonly number[]): (t: number) => number {
  const interval = (k: number): number => times[k + 1]! - times[k]!;
  const slope = (k: number): number => (x[k + 1]! - x[k]!) / interval(k);
  const count = times.length;
  const velocities = new Array<number>(count).fill(0);
  const above = new Array<number>(count).fill(0);
  for (let k = 1; k + 1 < count; ++k) {
    const [before, after] = [interval(k - 1), interval(k)];
    if (!(before > 0 && after > 0)) throw new Error(`keys ${k - 1} to ${k + 1} do not ascend`);
    const pivot = 2 * (before + after) - after * above[k - 1]!;
    above[k] = before / pivot;
    const right = 3 * (after * slope(k - 1) + before * slope(k));
    velocities[k] = (right - after * velocities[k - 1]!) / pivot;
  }
  for (let k = count - 1; k > 0; --k) velocities[k - 1]! -= above[k - 1]! * velocities[k]!;
  return (t) => {
    if (t <= times[0]!) return x[0]!;
    const next = times.findIndex((time) => time > t);
    if (next < 0) return x.at(-1)!;
    const k = next - 1;
    const s = (t - times[k]!) / interval(k);
    const r = 1 - s;
    const ends = r * r * (1 + 2 * s) * x[k]! + s * s * (1 + 2 * r) * x[next]!;
    return ends + interval(k) * s * r * (r * velocities[k]! - s * velocities[next]!);
  };
}
