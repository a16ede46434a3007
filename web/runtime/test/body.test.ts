import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { load, LimberError, type Body, type FrameState, type Vector3 } from '../src/index';
import { needsLimber, readModel } from './models';

const tip = 8; // a vertex at the free end
const gravity = [0, 0, -9.81] as const;

describe.skipIf(needsLimber)(`a body${needsLimber}`, () => {
  let body: Body;
  beforeEach(async () => {
    body = await load(readModel('exact'));
  });
  afterEach(() => {
    body.dispose();
  });

  it('says what it is', () => {
    expect(body.info).toMatchObject({
      rank: 9,
      exact: true,
      cubaturePoints: 0,
      elementCount: 32,
      free: false,
    });
    expect(body.info.parts).toEqual([{ name: 'exact', rank: 9, regions: body.info.regions }]);
    expect(body.info.domains).toMatchObject([{ part: 0, parent: -1, stiffness: 1 }]);
    expect(body.info.warpable).toBe(true);
    expect(body.info.fixedCount).toBe(9);
    expect(body.info.description).not.toBe('');
    expect(body.info.regions.map((region) => region.tag)).toEqual([1, 2]);
    expect(body.info.regions[0]!.volume).toBeCloseTo(0.4 * 0.08 * 0.1 * 0.5, 12);
    expect(body.info.regions[0]!.material).toEqual({ law: 'stvk', young: 1e5, poisson: 0.3, density: 1000 });
  });

  it('is loaded from an array buffer as well', async () => {
    const other = await load(readModel('exact').slice().buffer);
    expect(other.info).toEqual(body.info);
    other.dispose();
  });

  it('is copied as it is, and the copy goes its own way', () => {
    body.setGravity(gravity);
    body.setMaterial(0, { young: 5e4 });
    body.step(0.01, 20);
    const before = body.state;
    const copy = body.copy();
    expect(copy.info).toBe(body.info);
    expect(copy.state).toEqual(before);
    expect(copy.material(0).young).toBe(5e4);
    copy.step(0.01, 5);
    expect(body.state).toEqual(before);
    body.step(0.01, 5);
    expect(body.state).toEqual(copy.state); // to the bit
    copy.setMethod('warped');
    expect(body.method).toBe('reduced');
    body.reset();
    expect(copy.state.q.some((q) => q !== 0)).toBe(true);
    copy.dispose();
    expect(() => copy.copy()).toThrow('disposed');
    expect(body.position(tip)).toEqual(body.copy().position(tip));
  });

  it('gives a surface whose displaced positions are its basis times q', () => {
    body.setGravity(gravity);
    body.step(0.01, 20);
    const { positions, basis, triangles, triangleParts, parts, vertexDomains, triangleDomains } =
      body.surface();
    const { q } = body.state;
    const moved = positions.map((x, i) =>
      q.reduce((sum, qk, k) => sum + qk * basis[k * positions.length + i]!, x),
    );
    const found = body.positions();
    expect(found.length).toBe(3 * body.info.vertexCount);
    expect(Math.max(...found.map((x, i) => Math.abs(x - moved[i]!)))).toBeLessThan(1e-6);
    expect(triangles.length).toBe(3 * body.info.triangleCount);
    expect(Math.max(...triangles)).toBe(body.info.vertexCount - 1);
    expect(triangleParts.length).toBe(body.info.triangleCount);
    expect(Math.max(...triangleParts)).toBeLessThan(parts.length);
    expect(parts[0]!.color.length).toBe(3);
    expect([vertexDomains, triangleDomains].every((domains) => domains.every((d) => d === 0))).toBe(true);
  });

  it('gives copies, which stay when it moves', () => {
    const { positions } = body.surface();
    const state = body.state;
    body.setGravity(gravity);
    body.step(0.01, 5);
    expect(body.surface().positions).toEqual(positions);
    expect(state.q.every((x) => x === 0)).toBe(true);
  });

  it('gives the simulation mesh', () => {
    const mesh = body.simulationMesh()!;
    expect(mesh.element).toBe('brick');
    expect(mesh.positions.length).toBe(3 * 81);
    expect(mesh.elements.length).toBe(8 * 32);
    expect([...mesh.fixed].every((v) => mesh.positions[3 * v] === 0)).toBe(true);
    expect(mesh.fixed.length).toBe(9);
    expect(mesh.cubatureElements.length).toBe(0);
    expect(mesh.basis.length).toBe(3 * 81 * 9);
  });

  it('has no simulation mesh where the file leaves it out', async () => {
    const bare = await load(readModel('bare'));
    expect(bare.simulationMesh()).toBeNull();
    expect(bare.info.elementCount).toBe(0);
    bare.dispose();
  });

  it('names the elements of its cubature points once each, ascending', async () => {
    const other = await load(readModel('cubature'));
    const { cubatureElements, element } = other.simulationMesh()!;
    expect(element).toBe('tetrahedron');
    expect(other.info.exact).toBe(false);
    expect(other.info.cubaturePoints).toBeGreaterThanOrEqual(cubatureElements.length);
    expect(cubatureElements.length).toBeGreaterThan(0);
    expect([...new Set(cubatureElements)].sort((a, b) => a - b)).toEqual([...cubatureElements]);
    other.dispose();
  });

  it('falls under gravity and returns by reset', () => {
    body.setGravity(gravity);
    body.step(0.005, 10);
    expect(body.state.time).toBeCloseTo(0.05, 12);
    expect(body.position(tip)[2]).toBeLessThan(0);
    body.reset();
    expect(body.state.time).toBe(0);
    expect(body.position(tip)).toEqual([expect.closeTo(0.4, 6), 0, 0]);
  });

  it('keeps its energy without damping and loses it with damping', () => {
    body.setState([0.05, 0, 0, 0, 0, 0, 0, 0, 0], new Float64Array(9));
    const total = () => body.energy.elastic + body.energy.kinetic;
    const start = total();
    expect(start).toBeGreaterThan(0);
    body.step(0.001, 100, { iterations: 20 });
    expect(total() / start).toBeCloseTo(1, 2);
    expect(total() / start).toBeLessThanOrEqual(1 + 1e-9);
    body.setDamping({ mass: 5, stiffness: 0.01 });
    body.step(0.001, 100, { iterations: 20 });
    expect(total() / start).toBeLessThan(0.9);
  });

  it('follows a force until it is taken away', () => {
    body.setDamping({ mass: 20, stiffness: 0.02 });
    body.setForce(tip, [0, 0.5, 0]);
    body.step(0.02, 100);
    expect(body.position(tip)[1]).toBeGreaterThan(0.001);
    body.setForce(tip, [0, 0, 0]);
    body.step(0.02, 200);
    expect(body.position(tip)[1]).toBeCloseTo(0, 4);
    body.setForce(tip, [0, 0.5, 0]);
    body.setForces([]);
    body.step(0.02, 10);
    expect(body.position(tip)[1]).toBeCloseTo(0, 4);
  });

  it('takes forces in one call as one by one', () => {
    const forces = [tip, 2, 40].map((vertex, i) => ({ vertex, force: [0.1, 0.5 * i, -0.2] as const }));
    forces.forEach(({ vertex, force }) => {
      body.setForce(vertex, force);
    });
    body.step(0.01, 20);
    const { q } = body.state;
    body.reset();
    body.setForces([{ vertex: 5, force: [9, 9, 9] }]);
    body.setForces(forces);
    body.step(0.01, 20);
    expect(body.state.q).toEqual(q);
  });

  it('is pushed by a pressure on its surface, for a time', () => {
    const { positions, triangles } = body.surface();
    const above: number[] = [];
    for (let t = 0; 3 * t < triangles.length; ++t) {
      const corners = triangles.slice(3 * t, 3 * t + 3);
      if (corners.every((v) => positions[3 * v + 1]! > 0.0799)) above.push(t);
    }
    expect(above.length).toBeGreaterThan(0);
    const after = (pressure: number, to?: number): number => {
      body.reset();
      body.setSurfaceLoads([{ triangles: above, pressure, ...(to === undefined ? {} : { to }) }]);
      body.step(0.002, 20);
      return body.position(tip)[1];
    };
    const rest = after(1e-9);
    expect(after(50)).toBeLessThan(rest - 1e-6);
    expect(after(-50)).toBeGreaterThan(rest + 1e-6);
    expect(Math.abs(after(50, 0.002) - rest)).toBeLessThan(0.5 * Math.abs(after(50) - rest));
    body.setSurfaceLoads([]);
    body.reset();
    body.step(0.002, 20);
    expect(body.position(tip)[1]).toBeCloseTo(rest, 9);
  });

  it('is struck and shaken for a time', () => {
    const lag = (load: Parameters<Body['setTimedLoads']>[0]): Vector3 => {
      body.reset();
      body.setTimedLoads(load);
      body.step(0.002, 10);
      return body.position(tip);
    };
    const rest = lag({});
    const force: Vector3 = [0, 0, 2];
    const struck = lag({ forces: [{ vertices: [tip], force, from: 0.003, to: 0.013 }] });
    expect(struck[2]).toBeGreaterThan(rest[2] + 1e-6);
    const later = lag({ forces: [{ vertices: [tip], force, from: 0.03 }] });
    later.forEach((x, i) => {
      expect(x).toBeCloseTo(rest[i]!, 12);
    });
    const shaken = lag({ accelerations: [{ acceleration: [0, 5, 0], to: 0.01 }] });
    expect(shaken[1]).toBeGreaterThan(rest[1] + 1e-6);
    const refused = (loads: object, words: RegExp): void => {
      expect(() => {
        body.setTimedLoads(loads as never);
      }).toThrow(words);
    };
    refused({ forces: [{ vertices: [tip], force, from: 1, to: 1 }] }, /ends after it starts/);
    refused({ forces: [{ vertices: [1e6], force }] }, /vertex 1000000/);
    refused({ forces: [{ vertices: [tip], force: [0, NaN, 0] }] }, /the force/);
    refused({ accelerations: [{ acceleration: [0, 0, 1], until: 1 }] }, /unknown key 'until'/);
    refused({ force: [] }, /unknown key 'force'/);
  });

  it('goes to equilibrium, where it stays', () => {
    body.setGravity(gravity);
    const { iterations, residual } = body.solveStatic();
    expect(iterations).toBeGreaterThan(0);
    expect(residual).toBeLessThan(1e-8);
    const bent = body.position(tip);
    expect(body.state.kineticEnergy).toBe(0);
    body.step(0.002, 20);
    body.position(tip).forEach((x, i) => {
      expect(x).toBeCloseTo(bent[i]!, 6);
    });
    expect(() => body.solveStatic({ iterations: 0 })).toThrow('the number of iterations');
    expect(() => body.solveStatic({ tolerence: 1 } as never)).toThrow("unknown key 'tolerence'");
  });

  it('cannot be thrown while something holds it', () => {
    expect(() => {
      body.setVelocity([1, 0, 0]);
    }).toThrow('is held, so that it cannot be thrown');
  });

  it('refuses loads on what its surface does not have', () => {
    const refused = (load: object, words: RegExp): void => {
      expect(() => {
        body.setSurfaceLoads([load as never]);
      }).toThrow(words);
    };
    refused({ triangles: [1e6], pressure: 1 }, /triangle 1000000 of a surface with triangles 0 to/);
    refused({ triangles: [-1], pressure: 1 }, /the triangle is -1/);
    refused({ triangles: [1, 1], pressure: 1 }, /names triangle 1 twice/);
    refused({ triangles: [], pressure: 1 }, /has no triangles/);
    refused({ triangles: [1], pressure: NaN }, /the pressure is NaN/);
    refused({ triangles: [1], pressure: 1, from: 2, to: 1 }, /ends after it starts/);
    refused({ triangles: [1], presure: 1 }, /unknown key 'presure'/);
  });

  it('goes on with the same bits from a state that was saved', () => {
    body.setGravity(gravity);
    body.step(0.004, 30);
    const saved = body.save();
    body.step(0.004, 30);
    const { time, q, v } = body.state;
    body.reset();
    body.restore(saved);
    expect(body.state.time).toBeCloseTo(0.12, 12);
    body.step(0.004, 30);
    expect(body.state).toMatchObject({ time, q, v });
    for (const bytes of [saved.subarray(1), saved.subarray(0, 20), Uint8Array.of(...saved, 0)]) {
      expect(() => {
        body.restore(bytes);
      }).toThrow('the state');
    }
    expect(body.state.q).toEqual(q);
  });

  it('says how fast its vertices are', () => {
    body.setState(Array(9).fill(0.01), Array(9).fill(0.5));
    const [before, velocity] = [body.position(tip), body.velocity(tip)];
    const h = 1e-6;
    body.setState(Array(9).fill(0.01 + 0.5 * h), Array(9).fill(0.5));
    body.position(tip).forEach((x, i) => {
      expect((x - before[i]!) / h).toBeCloseTo(velocity[i]!, 8);
    });
  });

  it.each(['reduced', 'warped'] as const)('is moved by a support that is shaken (%s)', (method) => {
    body.setMethod(method);
    body.setDamping({ mass: 5, stiffness: 0.02 });
    body.setSupport([
      { time: 0 },
      { time: 0.1, position: [0, 0, 0.2] },
      { time: 0.2, position: [0, 0.3, 0] },
    ]);
    body.step(0.005, 20);
    const { positions } = body.surface();
    const fixed = [...Array(body.info.vertexCount).keys()].find((v) => positions[3 * v] === 0)!;
    expect(body.position(fixed)[2] - positions[3 * fixed + 2]!).toBeCloseTo(0.2, 9);
    expect(body.state.elasticEnergy).toBeGreaterThan(1e-3);
    body.step(0.01, 500);
    expect(body.position(tip)).toEqual([0.4, 0.3, 0].map((x) => expect.closeTo(x, 4) as number));
    body.setSupport(null);
    expect(body.position(fixed)[1]).toBeCloseTo(positions[3 * fixed + 1]!, 9);
    expect(() => {
      body.setSupport([{ time: 0 }, { time: 0, position: [0, 0, 1] }]);
    }).toThrow(LimberError);
    expect(() => {
      body.setSupport([{ time: 0, rotation: [0, 0, 0, 2] }], 'linear');
    }).toThrow(LimberError);
  });

  it('is pulled towards a point by the force that it says', () => {
    const stiffness = body.stiffnessAt(tip);
    body.setDamping({ mass: 20, stiffness: 0.02 });
    body.setSprings([{ vertex: tip, target: [0.4, 0.02, 0], stiffness }]);
    body.step(0.02, 200);
    const y = body.position(tip)[1];
    expect(y).toBeGreaterThan(0.002);
    expect(body.springForce(0)[1]).toBeCloseTo(stiffness * (0.02 - y), 6);
    body.setSprings([]);
    expect(() => body.springForce(0)).toThrow(LimberError);
    body.step(0.02, 200);
    expect(body.position(tip)[1]).toBeCloseTo(0, 4);
  });

  it('cannot be moved where it is fixed', () => {
    const { positions } = body.surface();
    const fixed = [...Array(body.info.vertexCount).keys()].find((v) => positions[3 * v] === 0)!;
    expect(body.stiffnessAt(fixed)).toBe(Infinity);
  });

  it('swings faster when it is stiffer', () => {
    const before = body.frequencies();
    body.setMaterial(0, { young: 4e5 });
    body.setMaterial(1, { young: 4e5 });
    const after = body.frequencies();
    expect(after.length).toBe(9);
    after.forEach((f, i) => {
      expect(f / before[i]!).toBeCloseTo(2, 6);
    });
    expect(body.material(0).young).toBeCloseTo(4e5, 4);
    expect(body.material(0).poisson).toBeCloseTo(0.3, 12);
  });

  it('keeps the rest of a material when a part of it changes', () => {
    body.setMaterial(1, { density: 500 });
    expect(body.material(1)).toEqual({ law: 'stvk', young: 1e5, poisson: 0.3, density: 500 });
    expect(body.material(0).density).toBe(1000);
  });

  it('refuses an impossible material and keeps the one it has', () => {
    const before = body.material(0);
    expect(() => {
      body.setMaterial(0, { poisson: 0.6 });
    }).toThrow(LimberError);
    expect(() => {
      body.setMaterial(0, { density: -1 });
    }).toThrow(LimberError);
    expect(body.material(0)).toEqual(before);
  });

  it('uses as many coordinates as it is told to', () => {
    body.setRank(4);
    expect(body.rank()).toBe(4);
    expect(body.state.q.length).toBe(4);
    expect(body.frequencies().length).toBe(4);
    expect(body.modeShape(3).length).toBe(4);
    expect(body.reach().length).toBe(4);
    expect(() => body.modeShape(4)).toThrow(LimberError);
    for (const [rank, part] of [[0], [10], [4, 1]] as [number, number?][]) {
      expect(() => {
        body.setRank(rank, part);
      }).toThrow(LimberError);
    }
  });

  it('scales mode shapes to a largest displacement of 1 m', () => {
    const shape = body.modeShape(1);
    const { positions, basis } = body.surface();
    const n = positions.length;
    let farthest = 0;
    for (let v = 0; v < n; v += 3) {
      const u = [0, 1, 2].map((axis) => shape.reduce((sum, x, k) => sum + x * basis[k * n + v + axis]!, 0));
      farthest = Math.max(farthest, Math.hypot(...u));
    }
    expect(farthest).toBeCloseTo(1, 5);
  });

  it('is linear when it is told to be', () => {
    body.setMethod('linear');
    body.setState([0.1, 0, 0, 0, 0, 0, 0, 0, 0], new Float64Array(9));
    const once = body.energy.elastic;
    body.setState([0.2, 0, 0, 0, 0, 0, 0, 0, 0], new Float64Array(9));
    expect(body.energy.elastic / once).toBeCloseTo(4, 9);
  });

  it('writes its coordinates for drawing', () => {
    body.setGravity(gravity);
    body.step(0.01, 3);
    const into = new Float32Array(12).fill(7);
    body.coordinates(into);
    expect(into).toEqual(Float32Array.of(...body.state.q, 7, 7, 7));
    expect(() => {
      body.coordinates(new Float32Array(8));
    }).toThrow(LimberError);
  });

  it('is picked by a ray', () => {
    const pick = body.pick([0.39, 0.01, 1], [0, 0, -1])!;
    expect(pick.hit).toBe(true);
    expect(pick.distance).toBeCloseTo(0.9, 6);
    expect(body.position(pick.vertex)).toEqual([0.4, 0, 0.1].map((x) => expect.closeTo(x, 6) as number));
    expect(body.pick([0, 0, 1], [1, 0, 0.1])!.hit).toBe(false);
    expect(body.pick([0, 0, 1], [0, 0, 1])).toBeNull();
  });

  it('is left as it was by a step that fails', () => {
    body.setGravity(gravity);
    body.step(0.01, 3);
    const before = body.state;
    expect(() => {
      body.step(-0.01);
    }).toThrow(LimberError);
    body.setGravity([1e308, 1e308, 1e308]);
    expect(() => {
      body.step(1e8, 2);
    }).toThrow(LimberError);
    expect(body.state).toEqual(before);
    body.setGravity(gravity);
    body.step(0.01);
    expect(body.state.time).toBeCloseTo(0.04, 12);
  });

  it('refuses numbers that are none', () => {
    const bad: (() => unknown)[] = [];
    for (const x of [NaN, Infinity, undefined as unknown as number, '1' as unknown as number]) {
      bad.push(
        () => {
          body.step(x);
        },
        () => {
          body.setForces([{ vertex: tip, force: [0, x, 0] }]);
        },
        () => {
          body.setGravity([x, 0, 0]);
        },
        () => {
          body.setSprings([{ vertex: tip, target: [0, 0, x], stiffness: 1 }]);
        },
        () => {
          body.setSprings([{ vertex: tip, target: [0, 0, 0], stiffness: x }]);
        },
        () => {
          body.setDamping({ mass: x, stiffness: 0 });
        },
        () => {
          body.setRank(x);
        },
        () => {
          body.setState(Array(9).fill(x), new Float64Array(9));
        },
        () => body.pick([0, 0, x], [0, 0, 1]),
        () => body.modeShape(x),
        () => body.position(x),
      );
    }
    bad.push(
      () => {
        body.setMaterial(0, { young: NaN });
      },
      () => {
        body.step(0.01, 0.5);
      },
      () => {
        body.step(0.01, 1, { iterations: 0 });
      },
      () => {
        body.setState([1, 2], [1, 2]);
      },
      () => {
        body.setForce(tip, [0, 0] as never);
      },
      () => body.pick([0, 0, 0], [0, 0, 0]),
      () => {
        body.setSprings([{ vertex: tip, target: [0, 0, 0], stiffness: -1 }]);
      },
    );
    bad.forEach((action, i) => {
      expect(action, `case ${i}`).toThrow(LimberError);
    });
    expect(body.state.q.every((x) => x === 0)).toBe(true);
  });

  it('refuses options that it does not know', async () => {
    const misspelt = { Young: 1e6 } as object;
    expect(() => {
      body.setMaterial(0, misspelt);
    }).toThrow("unknown key 'Young' of a material, expected young, poisson, density");
    expect(() => {
      body.step(0.01, 1, { solver: 'newton' as 'cg' });
    }).toThrow("the solver is 'newton', expected direct or cg");
    await expect(load('body.glb' as unknown as Uint8Array)).rejects.toThrow('found string');
  });

  it('refuses vertices and regions that it does not have', () => {
    for (const number of [-1, 1.5, 1e6, 2 ** 32, 2 ** 32 + 1]) {
      expect(() => body.position(number)).toThrow(LimberError);
      expect(() => body.stiffnessAt(number)).toThrow(LimberError);
      expect(() => body.material(number)).toThrow(LimberError);
      expect(() => {
        body.setSprings([{ vertex: number, target: [0, 0, 0], stiffness: 1 }]);
      }).toThrow(LimberError);
    }
  });

  it('moves beside another as it does alone', async () => {
    const fall = (beside: () => void) => {
      for (let i = 0; i < 10; ++i) {
        body.step(0.005);
        beside();
      }
      return body.state;
    };
    body.setGravity(gravity);
    const alone = fall(() => undefined);
    body.reset();
    const other = await load(readModel('cubature'));
    other.setGravity([0, 9.81, 0]);
    expect(
      fall(() => {
        other.step(0.005);
      }),
    ).toEqual(alone);
    expect(other.position(tip)[1]).toBeGreaterThan(0.001);
    other.dispose();
    body.step(0.005);
    expect(body.state.time).toBeCloseTo(0.055, 12);
  });

  it('cannot be used after it was disposed of', async () => {
    const other = await load(readModel('exact'));
    other.dispose();
    other.dispose();
    expect(() => other.state).toThrow('disposed');
    expect(() => {
      other.step(0.01);
    }).toThrow(LimberError);
    const next = await load(readModel('exact')); // takes its place
    expect(() => other.rank()).toThrow(LimberError);
    expect(next.rank()).toBe(9);
    next.dispose();
  });
});

describe.skipIf(needsLimber)(`a body that nothing holds${needsLimber}`, () => {
  let body: Body;
  const thrown: FrameState = {
    position: [0, 0, 0],
    rotation: [0, 0, 0, 1],
    velocity: [1, -0.5, 2],
    angularVelocity: [0.3, 2, -1],
  };
  beforeEach(async () => {
    body = await load(readModel('free'));
  });
  afterEach(() => {
    body.dispose();
  });

  it('flies as it was thrown, turns and keeps its momentum', () => {
    expect(body.info.free).toBe(true);
    body.setState(new Float64Array(9), new Float64Array(9), thrown);
    const before = body.momentum;
    body.step(0.002, 500);
    const after = body.momentum;
    const scale = Math.hypot(...before.linear);
    const velocity = before.linear.map((p) => p / before.mass);
    after.linear.forEach((p, i) => {
      expect(Math.abs(p - before.linear[i]!) / scale).toBeLessThan(1e-10);
      expect(after.center[i]! - before.center[i]!).toBeCloseTo(velocity[i]!, 8);
    });
    const turned = body.orientation(tip);
    expect(Math.abs(turned[3])).toBeLessThan(0.9);
    expect(body.state.root!.rotation).toEqual(turned.map((x) => expect.closeTo(x, 9) as number));
    body.reset();
    expect(body.state.root!.position).toEqual([0, 0, 0]);
  });

  it('is thrown as one rigid body about its centre of mass', () => {
    body.setVelocity(thrown.velocity, thrown.angularVelocity);
    const { mass, linear, center } = body.momentum;
    linear.forEach((p, i) => {
      expect(p / mass).toBeCloseTo(thrown.velocity[i]!, 10);
    });
    const [x, y, z] = body.position(tip).map((p, i) => p - center[i]!) as [number, number, number];
    const [a, b, c] = thrown.angularVelocity;
    const turning = [b * z - c * y, c * x - a * z, a * y - b * x];
    body.velocity(tip).forEach((v, i) => {
      expect(v).toBeCloseTo(thrown.velocity[i]! + turning[i]!, 10);
    });
    body.setVelocity([0, 0, 0]);
    expect(body.energy.kinetic).toBeCloseTo(0, 12);
    expect(() => {
      body.setVelocity([0, Infinity, 0]);
    }).toThrow('the velocity');
    expect(() => body.solveStatic()).toThrow('nothing holds');
  });

  it('is drawn by its coordinates and the frame of its root', () => {
    body.setState([0.02, -0.01, 0.01, 0, 0, 0, 0, 0, 0], new Float64Array(9), thrown);
    body.step(0.01, 40);
    const { q, root } = body.state;
    const { positions, basis } = body.surface();
    const found = body.positions();
    const [x, y, z, w] = root!.rotation;
    const turn = ([a, b, c]: Vector3): Vector3 => {
      const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)] as const;
      return [
        a + w * t[0] + y * t[2] - z * t[1],
        b + w * t[1] + z * t[0] - x * t[2],
        c + w * t[2] + x * t[1] - y * t[0],
      ];
    };
    for (let v = 0; v < body.info.vertexCount; ++v) {
      const local = [0, 1, 2].map((axis) =>
        q.reduce(
          (sum, qk, k) => sum + qk * basis[k * positions.length + 3 * v + axis]!,
          positions[3 * v + axis]!,
        ),
      );
      turn(local as unknown as Vector3).forEach((p, axis) => {
        expect(p + root!.position[axis]!).toBeCloseTo(found[3 * v + axis]!, 5);
      });
    }
  });

  it('is pulled to where a spring is, and falls', () => {
    body.setDamping({ mass: 5, stiffness: 0.01 });
    body.setSprings([{ vertex: tip, target: [2, 0, 0], stiffness: 100 }]);
    body.step(0.01, 1000);
    expect(body.position(tip)[0]).toBeCloseTo(2, 2);
    body.setSprings([]);
    body.setDamping({ mass: 0, stiffness: 0 });
    body.reset();
    body.setGravity(gravity);
    const { center } = body.momentum;
    body.step(0.01, 100);
    expect(body.momentum.center[2] - center[2]).toBeCloseTo(-9.81 / 2, 6);
  });

  it('has no support', () => {
    expect(() => {
      body.setSupport([{ time: 0 }]);
    }).toThrow('free');
  });

  it('flies by warped modes, too', () => {
    expect(body.info.warpable).toBe(true);
    body.setMethod('warped');
    body.setGravity(gravity);
    const { center } = body.momentum;
    body.step(0.01, 100);
    expect(body.momentum.center[2] - center[2]).toBeCloseTo(-9.81 / 2, 6);
    const root = body.state.root!;
    expect(root.position[2]).toBeLessThan(-4);
    expect(body.position(tip)[2]).toBeLessThan(-4);
  });
});
