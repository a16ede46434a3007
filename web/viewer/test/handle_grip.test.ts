import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import {
  type GizmoPlace,
  type GripRay,
  pickGrip,
  ringAxes,
  ringAxis,
  ringPoint,
  Twist,
} from '../src/handle_grip';

/** At (1, 2, 3), turned by 0.3 rad about a skew axis, its rings 2 m about. */
const place: GizmoPlace = {
  center: new Vector3(1, 2, 3),
  rotation: new Quaternion().setFromAxisAngle(new Vector3(2, 3, 6).divideScalar(7), 0.3),
  ball: 0.2,
  ring: 2,
  turns: true,
};
const eye = new Vector3(9, -4, 8);

function rayTo(point: Vector3, origin = eye): GripRay {
  return { origin, direction: point.clone().sub(origin).normalize() };
}

describe('rings', () => {
  it.each(ringAxes)('about %s lie about their axis, and angles count by the right-hand rule', (axis) => {
    const from = ringPoint(place, axis, 0.4).sub(place.center);
    const to = ringPoint(place, axis, 0.4 + Math.PI / 2).sub(place.center);
    expect(from.length()).toBeCloseTo(2, 12);
    expect(from.cross(to).normalize().distanceTo(ringAxis(place, axis))).toBeLessThan(1e-12);
  });
});

describe('picking', () => {
  it('finds the ball', () => {
    expect(pickGrip(place, rayTo(new Vector3(1.1, 2, 3)), 0.1)).toMatchObject({ part: 'ball', distance: 0 });
  });

  it.each(ringAxes)('finds the ring about %s, and on which side', (axis) => {
    for (const angle of [0.5, 2.3, 4]) {
      const point = ringPoint(place, axis, angle);
      const near = point.clone().sub(place.center).dot(eye.clone().sub(place.center)) > 0;
      expect(pickGrip(place, rayTo(point), 0.1)).toMatchObject({ part: axis, near });
    }
  });

  it('misses what is further than its reach', () => {
    const beside = ringPoint({ ...place, ring: 2.4 }, 'z', 0.5);
    expect(pickGrip(place, rayTo(beside), 0.1)).toBeNull();
  });

  it('misses rings that are not there', () => {
    expect(pickGrip({ ...place, turns: false }, rayTo(ringPoint(place, 'x', 0.5)), 0.1)).toBeNull();
  });

  it('misses what is behind the eye', () => {
    const { origin, direction } = rayTo(place.center);
    expect(pickGrip(place, { origin, direction: direction.negate() }, 0.1)).toBeNull();
  });
});

describe('twisting', () => {
  /** How the rotation after a twist differs from the one before, about the axis of the ring. */
  function angleOf(after: Quaternion, axis: Vector3): number {
    const change = after.clone().multiply(place.rotation.clone().invert());
    const sine = new Vector3(change.x, change.y, change.z).dot(axis);
    return 2 * Math.atan2(sine, change.w);
  }

  function twist(axis: 'x' | 'y' | 'z', origin: Vector3, angles: readonly number[]): number {
    const [first, ...others] = angles.map((angle) => ringPoint(place, axis, angle));
    const near = first!.clone().sub(place.center).dot(origin.clone().sub(place.center)) > 0;
    const turning = new Twist(place, axis, near, rayTo(first!, origin));
    const last = others.reduce((_, point) => turning.to(rayTo(point, origin)), place.rotation);
    return angleOf(last, ringAxis(place, axis));
  }

  it.each(ringAxes)('about %s follows the pointer along the ring, face on', (axis) => {
    const faceOn = place.center.clone().addScaledVector(ringAxis(place, axis), 30);
    expect(twist(axis, faceOn, [0.2, 0.9])).toBeCloseTo(0.7, 6);
    expect(twist(axis, faceOn, [0.2, -0.9])).toBeCloseTo(-1.1, 6);
  });

  it('follows the pointer along a ring that is seen from its side', () => {
    const side = ringPoint({ ...place, ring: 30 }, 'y', 1);
    expect(twist('y', side, [0.7, 1.3])).toBeCloseTo(0.6, 6);
  });

  it('follows the pointer on the far side of the rings too', () => {
    const side = ringPoint({ ...place, ring: 30 }, 'y', 1).addScaledVector(ringAxis(place, 'y'), 9);
    expect(twist('y', side, [Math.PI + 0.8, Math.PI + 1.2])).toBeCloseTo(0.4, 6);
  });

  it('adds up turns beyond half of one', () => {
    const faceOn = place.center.clone().addScaledVector(ringAxis(place, 'z'), 30);
    expect(twist('z', faceOn, [0, 1, 2, 3, 4])).toBeCloseTo(4, 6);
  });

  it('stays where the pointer is at the axis', () => {
    const faceOn = place.center.clone().addScaledVector(ringAxis(place, 'z'), 30);
    const turning = new Twist(place, 'z', true, rayTo(ringPoint(place, 'z', 0), faceOn));
    turning.to(rayTo(ringPoint(place, 'z', 0.5), faceOn));
    expect(angleOf(turning.to(rayTo(place.center, faceOn)), ringAxis(place, 'z'))).toBeCloseTo(0.5, 6);
  });

  it('begins where the pointer leaves the axis', () => {
    const axis = ringAxis(place, 'z');
    const faceOn = place.center.clone().addScaledVector(axis, 30);
    const turning = new Twist(place, 'z', true, rayTo(place.center, faceOn));
    const at = (angle: number): GripRay => rayTo(ringPoint(place, 'z', angle), faceOn);
    expect(angleOf(turning.to(at(2)), axis)).toBeCloseTo(0, 12);
    expect(angleOf(turning.to(at(2.5)), axis)).toBeCloseTo(0.5, 6);
  });

  it('gives quaternions of unit length', () => {
    const turning = new Twist(place, 'x', true, rayTo(ringPoint(place, 'x', 0)));
    expect(turning.to(rayTo(ringPoint(place, 'x', 1))).length()).toBeCloseTo(1, 14);
  });
});
