import RAPIER from '@dimforge/rapier3d-compat';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Body, load, RapierGuests, World } from '../src/index';
import { needsLimber, readModel } from './models';

/** The free beam is 0.4 m long, 0.08 m wide and 0.1 m high. */
describe.skipIf(needsLimber)(`guests in Rapier${needsLimber}`, () => {
  let body: Body;
  let world: World;
  let rapier: RAPIER.World;
  let guests: RapierGuests;
  beforeAll(async () => {
    await RAPIER.init();
  });
  beforeEach(async () => {
    body = await load(readModel('free'));
    body.setDamping({ mass: 0, stiffness: 2e-3 });
    world = new World(body, { friction: 0.6 });
    rapier = new RAPIER.World({ x: 0, y: 0, z: -9.81 });
    rapier.timestep = 1 / 240;
    guests = new RapierGuests(world, rapier);
  });
  afterEach(() => {
    guests.dispose();
    world.dispose();
    body.dispose();
    rapier.free();
  });

  const box = (half: number, z: number, density = 500): RAPIER.RigidBody => {
    const { center } = body.momentum;
    const made = rapier.createRigidBody(
      RAPIER.RigidBodyDesc.dynamic().setTranslation(center[0], center[1], z),
    );
    rapier.createCollider(
      RAPIER.ColliderDesc.cuboid(half, half, half).setDensity(density).setFriction(0.6),
      made,
    );
    return made;
  };
  const top = (): number =>
    body.positions().reduce((most, x, i) => (i % 3 === 2 ? Math.max(most, x) : most), -Infinity);
  const lowest = (): number =>
    body.positions().reduce((least, x, i) => (i % 3 === 2 ? Math.min(least, x) : least), Infinity);

  it('carries a box, and is carried by a floor of Rapier', () => {
    body.setGravity([0, 0, -9.81]);
    const floor = rapier.createCollider(
      RAPIER.ColliderDesc.cuboid(3, 3, 0.5).setTranslation(0, 0, lowest() - 0.51),
    );
    const load_ = box(0.03, top() + 0.04);
    for (let i = 0; i < 720; ++i) guests.step();
    const { linear, mass } = body.momentum;
    const weight = 9.81 * load_.mass();
    expect(Math.hypot(...linear) / mass).toBeLessThan(2e-3);
    expect(load_.translation().z).toBeGreaterThan(top() + 0.028);
    expect(load_.translation().z).toBeLessThan(top() + 0.032);
    const h = rapier.timestep;
    expect(guests.hostOf(load_.collider(0))!.push.impulse[2] / h / weight).toBeCloseTo(1, 1);
    expect(-guests.hostOf(floor)!.push.impulse[2] / h / (weight + 9.81 * mass)).toBeCloseTo(1, 1);
  });

  it('gives as much momentum as it takes', () => {
    rapier.gravity = { x: 0, y: 0, z: 0 };
    const thrown = box(0.04, top() + 0.06, 2000);
    thrown.setLinvel({ x: 0, y: 0.2, z: -1 }, true);
    const mass = thrown.mass();
    for (let i = 0; i < 120; ++i) guests.step();
    const { linear } = body.momentum;
    const { x, y, z } = thrown.linvel();
    expect(linear[2]).toBeLessThan(-0.05 * mass);
    expect((linear[0] + mass * x) / mass).toBeCloseTo(0, 5);
    expect((linear[1] + mass * y) / mass).toBeCloseTo(0.2, 5);
    expect((linear[2] + mass * z) / mass).toBeCloseTo(-1, 5);
  });

  it('sees colliders that come and go, and says which it cannot take', () => {
    const far = rapier.createCollider(RAPIER.ColliderDesc.ball(0.1).setTranslation(9, 0, 0));
    guests.step();
    expect(guests.hostOf(far)).not.toBeNull();
    rapier.removeCollider(far, false);
    guests.step();
    rapier.createCollider(RAPIER.ColliderDesc.capsule(0.2, 0.1).setTranslation(9, 0, 0));
    guests.step();
    rapier.createCollider(RAPIER.ColliderDesc.cone(0.2, 0.1).setTranslation(9, 0, 0));
    expect(() => {
      guests.step();
    }).toThrow(/the shape 11, expected a ball, cuboid, capsule or half space/);
  });

  it('sees colliders that change, and none of a sensor beside them', () => {
    const made = box(0.03, top() + 2);
    const sensor = RAPIER.ColliderDesc.ball(1).setSensor(true).setDensity(0);
    rapier.createCollider(sensor, made);
    const collider = made.collider(0);
    guests.step();
    const before = guests.hostOf(collider);
    expect(before).not.toBeNull();
    guests.step();
    expect(guests.hostOf(collider)).toBe(before);
    collider.setFriction(0.1);
    guests.step();
    const after = guests.hostOf(collider);
    expect(after).not.toBe(before);
    collider.setHalfExtents({ x: 0.05, y: 0.05, z: 0.05 });
    guests.step();
    expect(guests.hostOf(collider)).not.toBe(after);
  });

  it('turns what it only turns', () => {
    const made = box(0.03, top() + 2);
    rapier.gravity = { x: 0, y: 0, z: 0 };
    guests.step();
    const host = guests.hostOf(made.collider(0))!;
    Object.defineProperty(host, 'push', {
      get: () => ({ impulse: [0, 0, 0], angularImpulse: [0, 0, 1e-3] }),
    });
    guests.step();
    expect(made.angvel().z).toBeGreaterThan(0);
  });
});
