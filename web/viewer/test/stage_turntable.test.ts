import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import {
  axes,
  type Cloud,
  pixelLength,
  Turntable,
  viewPlanePoint,
  viewProject,
  viewRay,
} from '../src/stage/turntable';

const body = Float32Array.from([-1, -2, 0, 3, 1, 0, 2, 0, 1.5, 0, 1, 1, 1, -1, 0.5]);

const cloud = (positions: Float32Array, offset = new Vector3()): Cloud => ({ positions, offset });

function turntable(scale = 1): Turntable {
  const table = new Turntable();
  table.resize(800, 500);
  table.setPoints([cloud(body.map((x) => scale * x))]);
  return table;
}

function settle(table: Turntable): void {
  for (let i = 0; i < 1000 && table.busy; ++i) table.update(0.02);
}

function eye(table: Turntable): Vector3 {
  return viewRay(table.view, table.size, 0, 0).origin;
}

describe('Turntable', () => {
  it.each([1e-3, 1, 100])(
    'frames a body of any size, %f of the usual, within the picture and fills it',
    (scale) => {
      const table = turntable(scale);
      let widest = 0;
      for (let i = 0; i < body.length; i += 3) {
        const { x, y } = viewProject(
          table.view,
          table.size,
          new Vector3().fromArray(body, i).multiplyScalar(scale),
        );
        widest = Math.max(widest, Math.abs(x - 400) / 400, Math.abs(y - 250) / 250);
      }
      expect(widest).toBeLessThan(0.95);
      expect(widest).toBeGreaterThan(0.6);
    },
  );

  it('goes along with a body that flies, and frames it where it is', () => {
    const table = turntable();
    const flying = cloud(body);
    table.setPoints([flying]);
    const point = new Vector3(0.4, -0.7, 1.1);
    const before = viewProject(table.view, table.size, point);
    const { distance } = table.view;
    const shift = new Vector3(20, 5, -3);
    flying.offset.copy(shift);
    table.follow(flying);
    settle(table);
    expect(table.centre.x).toBe(21);
    table.frame();
    settle(table);
    const after = viewProject(table.view, table.size, point.add(shift));
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1e-6);
    expect(table.view.distance).toBeCloseTo(distance, 9);
    table.setPoints([cloud(body)]);
    expect(viewProject(table.view, table.size, point.sub(shift)).x).toBeCloseTo(before.x, 6);
  });

  it.each([
    [
      'another one is taken away',
      (table: Turntable, flying: Cloud): void => {
        table.setPoints([flying], 'stay');
      },
    ],
    [
      'another one comes',
      (table: Turntable, flying: Cloud): void => {
        table.setPoints([flying, cloud(body, new Vector3(5, 0, 0))], 'move');
      },
    ],
    [
      'the canvas has another size',
      (table: Turntable): void => {
        table.resize(300, 500);
      },
    ],
    [
      'another axis is up',
      (table: Turntable): void => {
        table.setUp(new Vector3(0, 1, 0));
      },
    ],
  ])('does not go along twice with a body that it has framed because %s', (_, reframe) => {
    const table = turntable();
    const flying = cloud(body);
    table.setPoints([flying, cloud(body, new Vector3(10, 0, 0))]);
    flying.offset.set(5, 0, 0); // not followed, as it is held
    reframe(table, flying);
    const target = table.centre.x;
    flying.offset.x += 1;
    table.follow(flying);
    settle(table);
    expect(table.view.target.x).toBeCloseTo(target + 1, 9);
  });

  it('catches up with what a body has flown, where nobody says otherwise', () => {
    const table = turntable();
    const flying = cloud(body);
    table.setPoints([flying]);
    flying.offset.set(5, 0, 0);
    table.followFromHere(flying);
    table.follow(flying);
    expect(table.centre.x).toBe(1);
    flying.offset.set(7, 0, 0);
    table.follow(flying);
    expect(table.centre.x).toBe(3);
  });

  it('frames all bodies, where they are', () => {
    const table = turntable();
    const other = cloud(body, new Vector3(10, 0, 0));
    table.setPoints([cloud(body), other]);
    const seen = (x: number): number =>
      viewProject(table.view, table.size, new Vector3(x, 0, 0.75)).x / table.size.width;
    expect(Math.min(seen(-1), 1 - seen(13))).toBeGreaterThan(0);
    expect(table.centre.x).toBe(6);
    other.offset.x = 30;
    table.frame();
    settle(table);
    expect(table.centre.x).toBe(16);
    expect(1 - seen(33)).toBeGreaterThan(0);
  });

  it('stays where somebody has moved it when a body is taken away', () => {
    const table = turntable();
    table.orbit(100, 0);
    settle(table);
    const before = eye(table);
    table.setPoints([cloud(body, new Vector3(3, 0, 0))], 'stay');
    settle(table);
    expect(eye(table).distanceTo(before)).toBe(0);
    expect(table.centre.x).toBe(4);
  });

  it('sends the ray of a projected point through that point', () => {
    const table = turntable();
    const point = new Vector3(0.4, -0.7, 1.1);
    const { x, y } = viewProject(table.view, table.size, point);
    const { origin, direction } = viewRay(table.view, table.size, x, y);
    expect(point.clone().sub(origin).cross(direction).length()).toBeLessThan(1e-12);
    expect(direction.length()).toBeCloseTo(1, 12);
  });

  it('finds the point under the pointer in the plane of another', () => {
    const table = turntable();
    const through = new Vector3(0.4, -0.7, 1.1);
    const point = viewPlanePoint(table.view, table.size, 120, 430, through);
    const pixel = viewProject(table.view, table.size, point);
    expect(pixel.x).toBeCloseTo(120, 8);
    expect(pixel.y).toBeCloseTo(430, 8);
    expect(point.sub(through).dot(axes(table.view)[2])).toBeCloseTo(0, 12);
  });

  it('knows the length of a pixel', () => {
    const table = turntable();
    const point = new Vector3(1, 0, 0.5);
    const moved = point
      .clone()
      .addScaledVector(axes(table.view)[0], 7 * pixelLength(table.view, table.size, point));
    const [a, b] = [point, moved].map((p) => viewProject(table.view, table.size, p).x);
    expect(b! - a!).toBeCloseTo(7, 8);
  });

  it('keeps what is under the pointer there while it zooms', () => {
    const table = turntable();
    const point = viewPlanePoint(table.view, table.size, 500, 300, table.view.target);
    const before = table.view.distance;
    table.zoom(2, 500, 300);
    settle(table);
    expect(table.view.distance).toBeCloseTo(before / 2, 8);
    const { x, y } = viewProject(table.view, table.size, point);
    expect(Math.hypot(x - 500, y - 300)).toBeLessThan(1e-6);
  });

  it('moves what is at the depth of its target with the pointer while it pans', () => {
    const table = turntable();
    const target = table.view.target.clone();
    table.pan(30, -20);
    settle(table);
    const { x, y } = viewProject(table.view, table.size, target);
    expect(Math.hypot(x - 430, y - 230)).toBeLessThan(1e-6);
  });

  it('turns what is in front with the pointer', () => {
    const table = turntable();
    const front = table.centre.clone().addScaledVector(axes(table.view)[2], 0.5);
    table.orbit(20, 10);
    settle(table);
    const { x, y } = viewProject(table.view, table.size, front);
    expect(x).toBeGreaterThan(401);
    expect(y).toBeGreaterThan(251);
  });

  it.each([-1, 1])('stops short of the pole (%i)', (sign) => {
    const table = turntable();
    table.orbit(0, sign * 1e5);
    settle(table);
    const [right, up, back] = axes(table.view);
    expect(Math.abs(right.z)).toBeLessThan(1e-9);
    expect(up.z).toBeGreaterThan(0);
    expect(sign * back.z).toBeGreaterThan(0.99);
  });

  it('cannot get lost', () => {
    const table = turntable();
    for (let i = 0; i < 50; ++i) {
      table.pan(4000, 3000);
      table.zoom(0.1, 0, 0);
    }
    settle(table);
    expect(table.view.target.distanceTo(table.centre)).toBeLessThanOrEqual(1.5 * table.radius + 1e-9);
    expect(table.view.distance).toBeLessThanOrEqual(16 * table.radius);
    for (let i = 0; i < 50; ++i) table.zoom(10, 800, 500);
    settle(table);
    expect(table.view.distance).toBeGreaterThan(0);
  });

  it('comes back as it was at first', () => {
    const table = turntable();
    const [first, distance] = [eye(table), table.view.distance];
    table.orbit(200, 50);
    table.zoom(3);
    table.pan(40, 40);
    settle(table);
    expect(eye(table).distanceTo(first)).toBeGreaterThan(0.1 * distance);
    table.frame();
    settle(table);
    expect(eye(table).distanceTo(first)).toBeLessThan(1e-9);
  });

  it('is busy while it moves and still afterwards', () => {
    const table = turntable();
    expect(table.busy).toBe(false);
    table.orbit(5, 0);
    expect(table.busy).toBe(true);
    settle(table);
    expect(table.busy).toBe(false);
    expect(table.update(0.02)).toBe(false);
  });

  it.each([
    [0, 1, 0],
    [0, 0, -1],
    [-1, 0, 0],
    [1, 2, -2],
  ])('shows the axis (%i, %i, %i) upright', (x, y, z) => {
    const table = turntable();
    table.orbit(300, 40);
    settle(table);
    const axis = new Vector3(x, y, z).normalize();
    table.setUp(axis);
    settle(table);
    const [right, up] = axes(table.view);
    expect(Math.abs(right.dot(axis))).toBeLessThan(1e-9);
    expect(up.dot(axis)).toBeGreaterThan(0);
  });

  it('follows the size of the canvas until somebody moves it', () => {
    const table = turntable();
    const wide = table.view.distance;
    table.resize(300, 500);
    expect(table.view.distance).toBeGreaterThan(wide);
    table.zoom(1.5);
    settle(table);
    const chosen = table.view.distance;
    table.resize(800, 500);
    expect(table.view.distance).toBe(chosen);
  });
});
