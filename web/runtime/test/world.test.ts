import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Body, load, World } from '../src/index';
import { needsLimber, readModel } from './models';

const gravity = [0, 0, -9.81] as const;
const h = 2e-3;

/** Lowest vertex along z. */
function lowest(body: Body): number {
  return body.positions().reduce((least, x, i) => (i % 3 === 2 ? Math.min(least, x) : least), Infinity);
}

/** Moves a free body, at rest, and lets it go with a velocity. */
function put(
  body: Body,
  position: readonly [number, number, number],
  velocity: readonly [number, number, number] = [0, 0, 0],
): void {
  const { q, v, root } = body.state;
  body.setState(new Float64Array(q.length), new Float64Array(v.length), { ...root!, position, velocity });
}

describe.skipIf(needsLimber)(`a world${needsLimber}`, () => {
  let body: Body;
  let world: World;
  beforeEach(async () => {
    body = await load(readModel('free'));
    body.setDamping({ mass: 0, stiffness: 2e-3 });
    body.setGravity(gravity);
    world = new World(body, { friction: 0.6 });
  });
  afterEach(() => {
    world.dispose();
    body.dispose();
  });

  it('lets a body that is dropped come to rest on the ground, where it feels its weight', () => {
    const ground = world.setGround({ height: 0.5, friction: 0.6 });
    put(body, [0, 0, 0.6]);
    const { mass } = body.momentum;
    const weight = 9.81 * mass;
    world.step(h, 20);
    expect(world.contactForce(body)).toEqual([0, 0, 0]); // still in the air
    world.step(h, 1000);
    expect(world.time).toBeCloseTo(1020 * h, 9);
    expect(lowest(body)).toBeGreaterThan(0.5 - 1e-3);
    expect(lowest(body)).toBeLessThan(0.5 + 1e-3);
    expect(Math.hypot(...body.momentum.linear) / mass).toBeLessThan(1e-3);
    const force = world.contactForce(body);
    expect(force[2] / weight).toBeCloseTo(1, 2);
    expect(world.contactForce(ground)[2]).toBeCloseTo(-force[2], 6);
    const { count, first, second, positions, normals, impulses, distances } = world.contacts;
    expect(count).toBeGreaterThan(2);
    expect([positions, normals, impulses].map(({ length }) => length)).toEqual(
      Array.from({ length: 3 }, () => 3 * count),
    );
    expect(distances.length).toBe(count);
    let sum = 0;
    for (let i = 0; i < count; ++i) {
      expect([first[i], second[i]]).toEqual([body, ground]);
      expect(normals[3 * i + 2]).toBeCloseTo(1, 9);
      expect(positions[3 * i + 2]).toBeCloseTo(0.5, 2);
      sum += impulses[3 * i + 2]!;
    }
    expect(sum / h).toBeCloseTo(force[2], 6);
  });

  it('has rigid bodies that a hand holds, and feels', () => {
    world.setGround({ height: 0 });
    const position = [2, 0, 0.2] as const;
    const ball = world.addRigid({ shape: { kind: 'sphere', radius: 0.1 }, position, gravity, density: 100 });
    ball.setGrip({ position, stiffness: 500, damping: 20 });
    world.step(h, 1000);
    const weight = 9.81 * ball.mass;
    expect(ball.felt.force[2]).toBeCloseTo(-weight, 4);
    expect(ball.state.position[2]).toBeCloseTo(0.2 - weight / 500, 5);
    ball.setGrip({ position: [2, 0, 0.08], stiffness: 500, damping: 20 }); // pressed on the ground
    world.step(h, 1000);
    expect(ball.felt.force[2]).toBeCloseTo(500 * 0.02, 1);
    ball.setGrip(null);
    expect(ball.felt.force).toEqual([-0, -0, -0]);
    expect(() => {
      ball.setGrip({ position, stiffness: -1 });
    }).toThrow('stiffness and damping');
    world.setContactPoints(body, 10);
    expect(() => {
      world.setContactPoints(body, 0);
    }).toThrow('at least 1');
  });

  it('lets a rigid body fall as fast where it is put elsewhere before each step', () => {
    const falls = (place: boolean): number => {
      const shape = { kind: 'sphere', radius: 0.1 } as const;
      const ball = world.addRigid({ shape, position: [5, 0, 50], gravity, density: 100 });
      for (let i = 0; i < 100; ++i) {
        if (place) ball.setState({ position: [5, 0, 50] });
        world.step(h);
      }
      const speed = ball.state.velocity[2];
      world.remove(ball);
      return speed;
    };
    expect(falls(true)).toBeCloseTo(falls(false), 9);
  });

  it('goes back to what it saved, with its rigid bodies and bodies, and on with the same bits', () => {
    world.setGround({ height: 0 });
    const shape = { kind: 'box', half: [0.05, 0.05, 0.05] } as const;
    const box = world.addRigid({ shape, position: [0.2, 0.04, 0.3], gravity });
    world.step(h, 50);
    const [all, own] = [world.save(), body.save()];
    world.step(h, 100);
    const [place, shape_] = [box.state, body.positions()];
    world.restore(all);
    body.restore(own);
    expect(world.time).toBeCloseTo(50 * h, 12);
    world.step(h, 100);
    expect(box.state).toEqual(place);
    expect(body.positions()).toEqual(shape_);
    expect(() => {
      world.restore(all.slice(1));
    }).toThrow();
    expect(box.state).toEqual(place);
  });

  it('says how well contacts were solved', () => {
    world.setGround({ height: 0 });
    put(body, [0, 0, -0.001]);
    world.step(h);
    const { pushing, deepest, converged, untested } = world.contactReport;
    expect(pushing).toBeGreaterThan(0);
    expect(deepest).toBeCloseTo(0.001, 4);
    expect([converged, untested]).toEqual([true, 0]);
  });

  it('steps its bodies, which are not stepped by themselves', () => {
    expect(() => {
      body.step(h);
    }).toThrow('is in a world, which steps it');
    world.remove(body);
    body.step(h);
  });

  it('takes no body that was disposed of, whose number another may have', async () => {
    const gone = await load(readModel('free'));
    gone.dispose();
    const other = await load(readModel('free'));
    for (const act of [
      () => {
        world.add(gone);
      },
      () => {
        world.setMaterial(gone, { friction: 1 });
      },
      () => {
        world.setContactPoints(gone, 10);
      },
    ]) {
      expect(act).toThrow('was disposed of');
    }
    expect(() => {
      world.setMaterial(other, { friction: 1 });
    }).toThrow('not in this world');
    other.dispose();
  });

  it('and its bodies can be disposed of after the runtime has failed', () => {
    const { runtime } = body as unknown as { runtime: { failure?: string } };
    runtime.failure = 'the runtime failed';
    expect(() => {
      world.step(h);
    }).toThrow('the runtime failed');
    body.dispose();
    world.dispose();
  });

  it('has a ground across any direction, which can be taken away', () => {
    body.setGravity([9.81, 0, 0]);
    world.setGround({ height: -0.7, up: [-2, 0, 0] }); // solid where x > 0.7
    put(body, [0.2, 0, 0]);
    world.step(h, 1500);
    const { center, mass } = body.momentum;
    expect(center[0]).toBeLessThan(0.7);
    expect(world.contactForce(body)[0] / (9.81 * mass)).toBeCloseTo(-1, 1);
    world.setGround(null);
    expect(world.contacts.count).toBe(0);
    world.step(h, 250);
    expect(body.momentum.center[0]).toBeGreaterThan(1);
  });

  it('keeps the momentum of a body and a ball that meet', () => {
    body.setGravity([0, 0, 0]);
    body.setDamping({ mass: 0, stiffness: 0 });
    const ball = world.addRigid({
      shape: { kind: 'sphere', radius: 0.05 },
      position: [0.15, 0.05, 0.2],
      velocity: [0.1, 0, -1],
    });
    const momentum = (): number[] =>
      [0, 1, 2].map((i) => body.momentum.linear[i]! + ball.mass * ball.state.velocity[i]!);
    const before = momentum();
    const scale = Math.hypot(...before);
    world.step(h, 100);
    momentum().forEach((p, i) => {
      expect(Math.abs(p - before[i]!) / scale).toBeLessThan(1e-10);
    });
    expect(body.momentum.linear[2] / scale).toBeLessThan(-0.5); // it was hit
  });

  it('goes on without a body that is disposed of', async () => {
    const other = await load(readModel('free'));
    world.add(other);
    world.setGround({});
    world.step(h, 10);
    expect(world.contacts.first).toContain(other);
    body.dispose();
    expect(world.contacts.count).toBe(0);
    world.step(h, 10);
    expect(new Set(world.contacts.first)).toEqual(new Set([other]));
    other.dispose();
  });

  it('has obstacles of all shapes, which can be moved', () => {
    put(body, [0, 0, 0.5]);
    const box = world.addObstacle({ shape: { kind: 'box', half: [1, 1, 0.1] }, position: [0, 0, 0.3] });
    world.step(h, 400);
    expect(lowest(body)).toBeCloseTo(0.4, 2);
    box.place({ position: [0, 0, -1] });
    world.step(h, 100);
    expect(lowest(body)).toBeLessThan(0.3);
    world.remove(box);
    expect(() => {
      box.place({});
    }).toThrow('taken out');
    put(body, [0, 0, 0.5]);
    for (const x of [0.05, 0.35]) {
      world.addObstacle({ shape: { kind: 'sphere', radius: 0.1 }, position: [x, 0.04, 0.3] });
    }
    const turn = [Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const; // its axis along y
    world.addObstacle({
      shape: { kind: 'capsule', radius: 0.1, halfLength: 0.2 },
      position: [0.2, 0, 0.3],
      rotation: turn,
    });
    world.step(h, 100);
    expect(lowest(body)).toBeCloseTo(0.4, 1);
  });

  it('has rigid bodies that fall, rest and lie on others', () => {
    const ground = world.setGround({});
    world.step(h, 300);
    const ball = world.addRigid({
      shape: { kind: 'sphere', radius: 0.05 },
      position: [0.2, 0.04, 0.3],
      density: 500,
      gravity,
    });
    const block = world.addRigid({
      shape: { kind: 'box', half: [0.05, 0.05, 0.05] },
      position: [1, 0, 0.06],
      gravity,
    });
    expect(block.mass).toBeCloseTo(1, 9);
    world.step(h, 100);
    expect(ball.state.position[2]).toBeLessThan(0.2);
    world.step(h, 400);
    expect(block.state.position[2]).toBeCloseTo(0.05, 3);
    expect(world.contactForce(block)[2]).toBeCloseTo(9.81, 1);
    const total = -world.contactForce(ground)[2];
    expect(total).toBeGreaterThan(9.81 * (body.momentum.mass + 1));
    block.setState({ velocity: [0, 0, 2] });
    world.step(h, 50);
    expect(block.state.position[2]).toBeGreaterThan(0.1);
    block.setGravity([0, 0, 9.81]);
    world.step(h, 100);
    expect(block.state.velocity[2]).toBeGreaterThan(2);
    world.remove(ball);
    expect(() => ball.state).toThrow('taken out');
    expect(block.state.position[0]).toBeCloseTo(1, 6);
  });

  it('bodies keep what they can while they touch: pulls, materials, rank, copies, states', () => {
    world.setGround({});
    world.step(h, 300);
    body.setSprings([{ vertex: 8, target: [0.4, 0.04, 0.5], stiffness: 400 }]);
    body.setMaterial(0, { young: 2e5 });
    world.step(h, 200);
    expect(body.position(8)[2]).toBeGreaterThan(0.2);
    body.setRank(6);
    world.step(h, 100);
    body.setSprings([]);
    const copy = body.copy();
    const saved = body.save();
    world.step(h, 300);
    expect(lowest(body)).toBeCloseTo(0, 2);
    copy.step(h, 300); // of no world
    expect(lowest(copy)).toBeLessThan(-0.5);
    const after = body.positions();
    body.restore(saved);
    world.step(h, 300);
    expect([...body.positions()]).toEqual([...after]);
    copy.dispose();
    body.reset();
    world.step(h, 10);
    world.remove(body);
    body.step(h, 300);
    expect(lowest(body)).toBeLessThan(-0.5);
    world.add(body);
  });

  it('refuses what it cannot do, and all is as before', async () => {
    expect(() => {
      world.add(body);
    }).toThrow('in a world already');
    expect(() => new World(body)).toThrow('in a world already');
    const other = await load(readModel('free'));
    expect(() => {
      world.add(other, { friction: -1 });
    }).toThrow('friction');
    expect(() => {
      world.add(other, { bounce: 1 } as never);
    }).toThrow("unknown key 'bounce'");
    expect(() => {
      world.remove(other);
    }).toThrow('not in this world');
    expect(() => world.contactForce(other)).toThrow('not in this world');
    expect(() => world.setGround({ up: [0, 0, 0] })).toThrow('no length');
    expect(() => world.addObstacle({ shape: { kind: 'sphere', radius: -1 } })).toThrow('radius');
    expect(() => world.addObstacle({ shape: { kind: 'cone' } as never })).toThrow("'cone'");
    expect(() => world.addRigid({ shape: { kind: 'sphere', radius: 1 }, density: 0 })).toThrow('density');
    expect(() => {
      world.step(0);
    }).toThrow('time step');
    other.setGravity(gravity);
    other.step(h, 10);
    world.step(h, 10);
    world.dispose();
    expect(() => {
      world.step(h);
    }).toThrow('disposed');
    body.step(h, 10);
    other.dispose();
  });
});
