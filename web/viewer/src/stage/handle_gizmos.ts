// Handles as they are drawn: a ball where the vertex is held, and three rings about the handle's own axes where it is turned.

import {
  Color,
  DynamicDrawUsage,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
  type Group,
} from 'three';
import type { Quaternion as Turn, Vector3 as Point } from '../../../runtime/src/types';
import {
  type GizmoPlace,
  type GripPart,
  type PickedGrip,
  pickGrip,
  ringAxes,
  ringAxis,
  ringPoint,
} from '../handle_grip';
import { pixelLength, viewRay, type Turntable } from './turntable';

const capacity = 64; // six coordinates each
const ballRadius = 7; // px
const rim = 1.3; // of the light disc behind a ball, which shows it on a body of its own colour
const ringRadius = 44;
const ringWidth = 2.5;
const ringRim = 5; // px, of the light band behind a ring
const ringColors = ['#e03131', '#2f9e44', '#1c7ed6'];
const fadedColor = '#9aa4b1';

export interface DrawnHandle {
  readonly id: number;
  readonly center: Point;
  readonly rotation: Turn;
  /** Whether its ball can be moved and its rings turned. */
  readonly moves: boolean;
  readonly turns: boolean;
}

/** What a pointer is at. */
export interface HandleUnderPointer {
  readonly handle: DrawnHandle;
  readonly place: GizmoPlace;
  readonly grip: PickedGrip;
}

/** Always as large on the screen and in front of everything. */
export class HandleGizmos {
  private readonly material = new MeshBasicMaterial({
    depthTest: false,
    transparent: true, // only to be drawn last
    toneMapped: false,
  });
  private readonly balls = new InstancedMesh(new SphereGeometry(1, 24, 16), this.material, 2 * capacity);
  private readonly rimMaterial = new MeshBasicMaterial({
    depthTest: false,
    transparent: true,
    opacity: 0.55,
    toneMapped: false,
  });
  private readonly rings = makeRings(ringWidth, this.material);
  private readonly rims = makeRings(ringRim, this.rimMaterial);
  private handles: readonly DrawnHandle[] = [];
  private selected: number | null = null;
  private readonly color = new Color();
  private readonly matrix = new Matrix4();
  private readonly rotation = new Quaternion();
  private readonly scale = new Vector3();

  constructor(group: Group) {
    // From behind to the front.
    [this.rims, this.rings, this.balls].forEach((mesh, i) => {
      mesh.frustumCulled = false;
      mesh.renderOrder = 21 + i;
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      group.add(mesh);
    });
  }

  /** Of balls. */
  setColor(style: string): void {
    this.color.set(style);
  }

  set(handles: readonly DrawnHandle[]): void {
    this.handles = handles.slice(0, capacity);
  }

  /** The one whose colours are strong. */
  select(id: number | null): void {
    this.selected = id;
  }

  /** Before each picture: their size follows the camera. */
  update(turntable: Turntable): void {
    let rings = 0;
    this.handles.forEach((handle, i) => {
      const place = placeOf(handle, turntable);
      const selected = handle.id === this.selected;
      [rim * place.ball, place.ball].forEach((radius, k) => {
        this.matrix.makeScale(radius, radius, radius).setPosition(place.center);
        this.balls.setMatrixAt(2 * i + k, this.matrix);
      });
      this.balls.setColorAt(2 * i, new Color('#ffffff'));
      this.balls.setColorAt(2 * i + 1, faded(this.color, handle.moves ? 0 : 0.75));
      if (!place.turns) return;
      ringAxes.forEach((axis, k) => {
        // A torus lies about the z axis.
        this.rotation.setFromUnitVectors(new Vector3(0, 0, 1), ringAxis(place, axis));
        this.scale.setScalar(place.ring);
        this.matrix.compose(place.center, this.rotation, this.scale);
        this.rims.setMatrixAt(rings, this.matrix);
        this.rings.setMatrixAt(rings, this.matrix);
        this.rings.setColorAt(rings++, faded(new Color(ringColors[k]), selected ? 0 : 0.55));
      });
    });
    this.show(this.balls, 2 * this.handles.length);
    this.show(this.rims, rings);
    this.show(this.rings, rings);
  }

  /** The part of a handle at a pixel, or within `reach` pixels of it; of several the nearest. */
  pick(turntable: Turntable, x: number, y: number, reach: number): HandleUnderPointer | null {
    const ray = viewRay(turntable.view, turntable.size, x, y);
    let best: HandleUnderPointer | null = null;
    let least = Infinity;
    for (const handle of this.handles) {
      const pixel = pixelLength(turntable.view, turntable.size, new Vector3(...handle.center));
      const place = placeOf(handle, turntable);
      const grip = pickGrip(place, ray, reach * pixel);
      if (grip && grip.distance / pixel < least) {
        least = grip.distance / pixel;
        best = { handle, place, grip };
      }
    }
    return best;
  }

  /** A point of a part; angle: along a ring. null: there is no such handle. */
  point(turntable: Turntable, id: number, part: GripPart, angle: number): Vector3 | null {
    const handle = this.handles.find((one) => one.id === id);
    if (!handle) return null;
    const place = placeOf(handle, turntable);
    return part === 'ball' ? place.center : ringPoint(place, part, angle);
  }

  dispose(): void {
    for (const mesh of [this.balls, this.rings, this.rims]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.material.dispose();
    this.rimMaterial.dispose();
  }

  private show(mesh: InstancedMesh, count: number): void {
    mesh.count = count;
    mesh.visible = count > 0;
    if (count === 0) return;
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }
}

/** width: px */
function makeRings(width: number, material: MeshBasicMaterial): InstancedMesh {
  return new InstancedMesh(new TorusGeometry(1, width / 2 / ringRadius, 8, 96), material, 3 * capacity);
}

function placeOf({ center, rotation, turns }: DrawnHandle, { view, size }: Turntable): GizmoPlace {
  const middle = new Vector3(...center);
  const pixel = pixelLength(view, size, middle);
  return {
    center: middle,
    rotation: new Quaternion(...rotation),
    ball: ballRadius * pixel,
    ring: ringRadius * pixel,
    turns,
  };
}

function faded(color: Color, share: number): Color {
  return color.clone().lerp(new Color(fadedColor), share);
}
