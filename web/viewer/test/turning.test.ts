import { describe, expect, it } from 'vitest';
import type { Quaternion } from '../../runtime/src/types';
import { angleBetween, nearerSign, turnTowards, upright } from '../src/turning';

const aboutZ = (angle: number): Quaternion => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];

describe('the angle between rotations', () => {
  it.each([0, 1e-9, 0.3, 3])('of %d rad is found', (angle) => {
    expect(angleBetween(aboutZ(0.4), aboutZ(0.4 + angle))).toBeCloseTo(angle, 12);
  });

  it('does not depend on the sign of a quaternion', () => {
    const [x, y, z, w] = aboutZ(0.5);
    expect(angleBetween(upright, [-x, -y, -z, -w])).toBeCloseTo(0.5, 12);
  });

  it('is the shorter way round', () => {
    expect(angleBetween(upright, aboutZ(2 * Math.PI - 0.1))).toBeCloseTo(0.1, 12);
  });
});

describe('turning towards a rotation', () => {
  it.each([1e-8, 0.2, 3])('goes a share of the way of %d rad', (angle) => {
    const part = turnTowards(aboutZ(0.1), aboutZ(0.1 + angle), 0.25);
    expect(angleBetween(aboutZ(0.1), part)).toBeCloseTo(0.25 * angle, 10);
    expect(Math.hypot(...part)).toBeCloseTo(1, 14);
  });

  it('goes more than half a turn where signs say so, and the shorter way with the nearer sign', () => {
    const far = aboutZ(2 * Math.PI - 0.2);
    expect(angleBetween(turnTowards(upright, far, 0.5), aboutZ(Math.PI - 0.1))).toBeCloseTo(0, 9);
    expect(angleBetween(turnTowards(upright, nearerSign(far, upright), 0.5), aboutZ(-0.1))).toBeCloseTo(0, 9);
  });

  it('ends at once where a whole turn is left, which has no axis', () => {
    expect(turnTowards(upright, [0, 0, 0, -1], 0.5)).toEqual([0, 0, 0, -1]);
  });
});
