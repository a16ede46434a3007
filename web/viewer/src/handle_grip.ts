// The parts of a handle that a pointer takes hold of, a ball and three rings, and what turning a ring means. No WebGL here.

import { Quaternion, Vector3 } from 'three';

export type RingAxis = 'x' | 'y' | 'z';
export type GripPart = 'ball' | RingAxis;

export const ringAxes: readonly RingAxis[] = ['x', 'y', 'z'];

/** Where the parts of a handle are. */
export interface GizmoPlace {
  readonly center: Vector3;
  /** Of the rings, whose axes are the handle's own. */
  readonly rotation: Quaternion;
  /** m, of the ball and of the rings. */
  readonly ball: number;
  readonly ring: number;
  /** Whether there are rings. */
  readonly turns: boolean;
}

/** direction: of unit length. */
export interface GripRay {
  readonly origin: Vector3;
  readonly direction: Vector3;
}

export interface PickedGrip {
  readonly part: GripPart;
  /** m, between the ray and the part; 0 on the ball. */
  readonly distance: number;
  /** Whether it is on the side of the rings towards the eye. */
  readonly near: boolean;
}

/** Points of a ring that are looked at: 3 px apart on the screen. */
const ringSamples = 96;

/** The axis of a ring in the scene. */
export function ringAxis({ rotation }: GizmoPlace, axis: RingAxis): Vector3 {
  return new Vector3(Number(axis === 'x'), Number(axis === 'y'), Number(axis === 'z')).applyQuaternion(
    rotation,
  );
}

/** A point of a ring; angles count about its axis by the right-hand rule. */
export function ringPoint({ center, rotation, ring }: GizmoPlace, axis: RingAxis, angle: number): Vector3 {
  const [c, s] = [ring * Math.cos(angle), ring * Math.sin(angle)];
  const local = axis === 'x' ? [0, c, s] : axis === 'y' ? [s, 0, c] : [c, s, 0];
  return new Vector3().fromArray(local).applyQuaternion(rotation).add(center);
}

/** The part of a handle that a ray meets or passes within `reach`, m; the nearest to it, and the ball before all. */
export function pickGrip(place: GizmoPlace, ray: GripRay, reach: number): PickedGrip | null {
  const beside = distanceToRay(place.center, ray);
  if (beside <= place.ball) return { part: 'ball', distance: 0, near: true };
  let best: PickedGrip = { part: 'ball', distance: beside - place.ball, near: true };
  if (place.turns) {
    const toEye = ray.origin.clone().sub(place.center);
    for (const part of ringAxes) {
      for (let i = 0; i < ringSamples; ++i) {
        const point = ringPoint(place, part, (2 * Math.PI * i) / ringSamples);
        const distance = distanceToRay(point, ray);
        if (distance < best.distance) {
          best = { part, distance, near: point.sub(place.center).dot(toEye) >= 0 };
        }
      }
    }
  }
  return best.distance <= reach ? best : null;
}

/** Infinity for points behind the eye. */
function distanceToRay(point: Vector3, { origin, direction }: GripRay): number {
  const offset = point.clone().sub(origin);
  const along = offset.dot(direction);
  return along > 0 ? offset.addScaledVector(direction, -along).length() : Infinity;
}

/**
 * Turning a ring about its axis. The pointer rolls the ball that the three rings lie on, on the side where it took hold: that works
 * from wherever the ring is seen, and face on it is the angle about the middle.
 */
export class Twist {
  private readonly axis: Vector3;
  private readonly first: Vector3;
  private readonly second: Vector3;
  private readonly start: Quaternion;
  private readonly center: Vector3;
  /** null: the pointer has only been at the axis. */
  private last: number | null;
  private total = 0;

  constructor(
    private readonly place: GizmoPlace,
    part: RingAxis,
    private readonly near: boolean,
    ray: GripRay,
  ) {
    this.center = place.center.clone();
    this.start = place.rotation.clone();
    this.axis = ringAxis(place, part);
    this.first = ringPoint(place, part, 0).sub(this.center);
    this.second = ringPoint(place, part, Math.PI / 2).sub(this.center);
    this.last = this.angle(ray);
  }

  /** The handle's rotation when the pointer is here. Whole turns add up. */
  to(ray: GripRay): Quaternion {
    const angle = this.angle(ray);
    if (angle !== null) {
      const change = angle - (this.last ?? angle);
      this.total += change - 2 * Math.PI * Math.round(change / (2 * Math.PI));
      this.last = angle;
    }
    return new Quaternion().setFromAxisAngle(this.axis, this.total).multiply(this.start).normalize();
  }

  /** About the axis; null: the pointer is at the axis, where there is none. */
  private angle(ray: GripRay): number | null {
    const { ring } = this.place;
    const point = onBall(ray, this.center, ring, this.near).sub(this.center);
    const [a, b] = [point.dot(this.first), point.dot(this.second)];
    return Math.hypot(a, b) < 0.05 * ring * ring ? null : Math.atan2(b, a);
  }
}

/** Where a ray enters or leaves a ball; where it passes by, its point next to it. */
function onBall(ray: GripRay, center: Vector3, radius: number, near: boolean): Vector3 {
  const along = center.clone().sub(ray.origin).dot(ray.direction);
  const foot = ray.origin.clone().addScaledVector(ray.direction, along);
  const depth = radius * radius - foot.distanceToSquared(center);
  return depth > 0 ? foot.addScaledVector(ray.direction, (near ? -1 : 1) * Math.sqrt(depth)) : foot;
}
