import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  load,
  type Body,
  type Handle,
  type Method,
  type Quaternion,
  type Surface,
  type Vector3,
} from '../src/index';
import { documentOf, withDocument, type Json } from './glb';
import { needsLimber, readModel } from './models';

const tip = 8; // a vertex at the free end
const size = Math.hypot(0.4, 0.08, 0.1); // of the body, m

/** The rotation by an angle about the x axis. */
function aboutX(angle: number): Quaternion {
  return [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
}

function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Columns of an array as in Surface times q, at a vertex. */
function product(columns: Float32Array, vertex: number, q: Float64Array): Vector3 {
  const rows = columns.length / q.length;
  const at = (axis: number) => q.reduce((sum, x, k) => sum + x * columns[k * rows + 3 * vertex + axis]!, 0);
  return [at(0), at(1), at(2)];
}

/** u turned by the mean of all rotations from none to that of w: as a shader does it.   [Choi & Ko 2005, Appendix III] */
function warped(u: Vector3, w: Vector3): Vector3 {
  const t = Math.hypot(...w);
  const [c, e] = t < 1e-3 ? [0.5, 1 / 6] : [(1 - Math.cos(t)) / t ** 2, (t - Math.sin(t)) / t ** 3];
  const wu = cross(w, u);
  const wwu = cross(w, wu);
  return [0, 1, 2].map((i) => u[i]! + c * wu[i]! + e * wwu[i]!) as unknown as Vector3;
}

function expectedPosition(
  { positions, basis, rotations }: Surface,
  vertex: number,
  q: Float64Array,
): number[] {
  const u = warped(product(basis, vertex, q), product(rotations!, vertex, q));
  return u.map((x, i) => positions[3 * vertex + i]! + x);
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(...Array.from(a, (x, i) => x - b[i]!));
}

/** rad */
function angle(a: Quaternion, b: Quaternion): number {
  return (
    4 *
    Math.asin(
      Math.min(
        1,
        Math.min(
          distance(a, b),
          distance(
            a,
            b.map((x) => -x),
          ),
        ) / 2,
      ),
    )
  );
}

describe.skipIf(needsLimber)(`a body that is moved by warped modes${needsLimber}`, () => {
  let body: Body;
  beforeEach(async () => {
    body = await load(readModel('exact'));
    body.setMethod('warped');
    body.setDamping({ mass: 1, stiffness: 0.002 });
  });
  afterEach(() => {
    body.dispose();
  });

  it('says so, and goes on where another method left it', () => {
    const q = Float64Array.of(0.05, -0.02, 0.01, 0, 0, 0, 0, 0, 0.01);
    body.setState(q, q);
    const states = ['linear', 'reduced', 'warped'].map((method) => {
      body.setMethod(method as Method);
      expect(body.method).toBe(method);
      return body.state.q;
    });
    expect(states).toEqual([q, q, q]);
  });

  it('gives a surface whose warped positions are those that it has', () => {
    body.setGravity([0, 3, -9.81]);
    body.step(0.01, 30);
    const surface = body.surface();
    expect(surface.rotations!.length).toBe(surface.basis.length);
    const { q } = body.state;
    const found = body.positions();
    let linear = 0;
    for (let vertex = 0; vertex < body.info.vertexCount; ++vertex) {
      const expected = expectedPosition(surface, vertex, q);
      expect(distance(body.position(vertex), expected)).toBeLessThan(1e-7); // t < 1e-3 leaves out t^2 / 24
      expect(distance(found.subarray(3 * vertex, 3 * vertex + 3), expected)).toBeLessThan(1e-6);
      const u = product(surface.basis, vertex, q);
      const straight = u.map((x, i) => x + surface.positions[3 * vertex + i]!);
      linear = Math.max(linear, distance(straight, expected));
    }
    expect(linear).toBeGreaterThan(1e-3);
  });

  it('is turned as its rotations say', () => {
    body.setGravity([0, 3, -9.81]);
    body.step(0.01, 30);
    const w = product(body.surface().rotations!, tip, body.state.q);
    const t = Math.hypot(...w);
    const [x, y, z] = w.map((each) => (Math.sin(t / 2) / t) * each) as [number, number, number];
    expect(t).toBeGreaterThan(0.05);
    expect(distance(body.orientation(tip), [x, y, z, Math.cos(t / 2)])).toBeLessThan(1e-12);
    body.setMethod('reduced');
    expect(body.orientation(tip)).toEqual([0, 0, 0, 1]);
  });

  it('is dragged and twisted by handles, which are met at each step', () => {
    body.setGravity([0, 0, -9.81]);
    for (let i = 1; i <= 40; ++i) {
      const position: Vector3 = [0.4 - 0.001 * i, 0.001 * i, 0.002 * i];
      const rotation = aboutX(0.01 * i);
      body.setHandles([{ vertex: tip, position, rotation }]);
      body.step(0.01);
      expect(body.handleReport.met).toBe(true);
      expect(distance(body.position(tip), position)).toBeLessThan(1e-8 * size);
      expect(angle(body.orientation(tip), rotation)).toBeLessThan(1e-6);
      expect(body.handleReport.positionError).toBeLessThan(1e-8 * size);
      expect(body.handleReport.orientationError).toBeLessThan(1e-6);
    }
    body.setHandles([]);
    body.setGravity([0, 0, 0]);
    body.step(0.02, 1000);
    expect(distance(body.position(tip), [0.4, 0, 0])).toBeLessThan(1e-4 * size);
  });

  it('honours the priority of handles where not all can be met', () => {
    body.setRank(5);
    const handle: Handle = { vertex: tip, position: [0.38, 0.02, 0.1], rotation: aboutX(0.6) };
    const errors = (priority: 'position' | 'orientation') => {
      body.reset();
      body.setHandles([handle], priority);
      body.step(0.01, 20);
      expect(body.handleReport.met).toBe(false);
      return body.handleReport;
    };
    const dragged = errors('position');
    const twisted = errors('orientation');
    expect(dragged.positionError).toBeLessThan(1e-8 * size);
    expect(dragged.orientationError).toBeGreaterThan(1e-3);
    expect(twisted.orientationError).toBeLessThan(1e-6);
    expect(twisted.positionError).toBeGreaterThan(1e-3 * size);
  });

  it('takes springs and places as others do, and turns alone', () => {
    const handles = [{ vertex: tip, position: [0.4, 0, 0] as const }];
    const springs = [{ vertex: tip, target: [0.4, 0, 0] as const, stiffness: 1 }];
    body.setSprings(springs);
    body.setHandles(handles);
    body.setMethod('reduced');
    body.setHandles(handles);
    body.step(0.01);
    expect(distance(body.position(tip), handles[0]!.position)).toBeLessThan(1e-5);
    expect(() => {
      body.setHandles([{ vertex: tip, rotation: [0, 0, 0, 1] }]);
    }).toThrow(
      "the method 'reduced' does not take handles that hold orientations; choose 'linear' or 'warped'",
    );
    body.setHandles([]);
    body.setState(Array(9).fill(0.01), Array(9).fill(0));
    const force = body.position(tip).map((x, i) => springs[0]!.target[i]! - x);
    expect(body.springForce(0)).toEqual(force.map((x) => expect.closeTo(x, 9) as number));
    expect(() => body.springForce(1)).toThrow('spring 1 of a body with 1 springs');
  });

  it('refuses handles that make no sense, and keeps those it has', () => {
    const position: Vector3 = [0.4, 0.01, 0];
    body.setHandles([{ vertex: tip, position }]);
    const { positions } = body.surface();
    const fixed = [...Array(body.info.vertexCount).keys()].find((v) => positions[3 * v] === 0)!;
    const bad: [readonly object[], RegExp | string][] = [
      [[{ vertex: tip }], 'neither a position nor a rotation'],
      [[{ vertex: 1e6, position }], 'vertex 1000000 of a surface'],
      [[{ vertex: tip, position: [0, NaN, 0] }], 'number 1 of the position of a handle is NaN'],
      [[{ vertex: tip, rotation: [0, 0, 1] }], 'the rotation of a handle has 3 numbers, expected 4'],
      [[{ vertex: tip, rotation: [0, 0, 0, 2] }], 'expected one of length 1'],
      [[{ vertex: tip, rotation: [0, 0, 0, 0] }], 'expected one of length 1'],
      [[{ vertex: tip, orientation: [0, 0, 0, 1] }], "unknown key 'orientation' of a handle"],
      [[{ vertex: fixed, position }], 'cannot move'],
      [
        [
          { vertex: tip, position },
          { vertex: tip, position: [0.4, 0, 0] },
        ],
        'both hold',
      ],
    ];
    for (const [handles, reason] of bad) {
      expect(() => {
        body.setHandles(handles as Handle[]);
      }).toThrow(reason);
    }
    expect(() => {
      body.setHandles([], 'both' as 'position');
    }).toThrow("the priority is 'both', expected position or orientation");
    expect(() => {
      body.setMethod('modal' as Method);
    }).toThrow("the method is 'modal', expected reduced or linear or warped");
    body.step(0.01);
    expect(distance(body.position(tip), position)).toBeLessThan(1e-8 * size);
  });
});

describe.skipIf(needsLimber)(`a model without rotations${needsLimber}`, () => {
  it('says that it cannot be warped, and why', async () => {
    const file = readModel('bare');
    const document = documentOf(file) as {
      extensions: { LIMBER_model: { parts: Record<string, Json>[] } };
    };
    delete document.extensions.LIMBER_model.parts[0]!.warp;
    const body = await load(withDocument(file, JSON.stringify(document)));
    expect(body.info.warpable).toBe(false);
    expect(body.surface().rotations).toBeNull();
    expect(() => {
      body.setMethod('warped');
    }).toThrow(/has no rotations, which the method 'warped' needs/);
    expect(body.method).toBe('reduced');
    body.step(0.001);
    body.dispose();
  });
});
