// The camera: a turntable about the up axis of the scene, eased so that it never jumps. No WebGL here.

import { MathUtils, Matrix4, Quaternion, Vector3 } from 'three';

/** Full angle over the height of the picture. */
export const fieldOfView = (32 * Math.PI) / 180;

/** Where the camera is: it looks at `target` along its -z, y is up in the picture. */
export interface View {
  readonly target: Vector3;
  readonly orientation: Quaternion;
  distance: number;
}

/** Of the canvas, in CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

const startAzimuth = 0.5;
const startElevation = 0.3;
const elevationLimit = 1.54; // short of the pole, where left and right would swap
const radiansPerPixel = 0.006;
const margin = 1.22; // room around a framed body, for it to move
const sampleCount = 1500; // of the points of a body, to frame it by
const dragTime = 0.045; // s, in which a difference shrinks to 1/e
const frameTime = 0.14;

/** Points of a body. */
export interface Cloud {
  /** 3 n, at rest. */
  readonly positions: Float32Array;
  /** By which they have moved together; may change at any time. */
  readonly offset: Vector3;
}

/** What is framed by: the box about a cloud at rest, and some of its points. */
interface Sampled {
  readonly low: Vector3;
  readonly high: Vector3;
  readonly points: readonly Vector3[];
  readonly cloud: Cloud;
  /** The offset of the cloud when the camera last was with it. */
  readonly followed: Vector3;
}

const tangent = Math.tan(fieldOfView / 2);

/** Axes of the picture: right, up, towards the viewer. */
export function axes(view: View): [Vector3, Vector3, Vector3] {
  const [x, y, z] = [new Vector3(), new Vector3(), new Vector3()];
  new Matrix4().makeRotationFromQuaternion(view.orientation).extractBasis(x, y, z);
  return [x, y, z];
}

/** The eye, and the direction of unit length through a pixel. */
export function viewRay(
  view: View,
  size: Size,
  x: number,
  y: number,
): { origin: Vector3; direction: Vector3 } {
  const origin = new Vector3(0, 0, view.distance).applyQuaternion(view.orientation).add(view.target);
  const direction = new Vector3(
    (tangent * (2 * x - size.width)) / size.height,
    (tangent * (size.height - 2 * y)) / size.height,
    -1,
  );
  return { origin, direction: direction.applyQuaternion(view.orientation).normalize() };
}

/** Under a pixel, in the plane parallel to the picture through a point. Where that is behind the eye: the point itself. */
export function viewPlanePoint(view: View, size: Size, x: number, y: number, through: Vector3): Vector3 {
  const { origin, direction } = viewRay(view, size, x, y);
  const [, , back] = axes(view);
  const depth = through.clone().sub(origin).dot(back);
  if (depth >= 0) return through.clone();
  return direction.multiplyScalar(depth / direction.dot(back)).add(origin);
}

/** The pixel of a point; far outside of the picture where it is behind the eye. */
export function viewProject(view: View, size: Size, point: Vector3): { x: number; y: number } {
  const [right, up, back] = axes(view);
  const offset = point.clone().sub(view.target);
  const depth = Math.max(view.distance - offset.dot(back), 1e-6 * view.distance);
  const scale = size.height / (2 * tangent * depth);
  return { x: size.width / 2 + scale * offset.dot(right), y: size.height / 2 - scale * offset.dot(up) };
}

/** Length of a CSS pixel at a point of the scene. */
export function pixelLength(view: View, size: Size, point: Vector3): number {
  const [, , back] = axes(view);
  const depth = view.distance - point.clone().sub(view.target).dot(back);
  return (2 * tangent * Math.max(depth, 1e-3 * view.distance)) / size.height;
}

/** Least distance at which points about a centre are in the picture, seen in an orientation. */
export function fittingDistance(
  points: readonly Vector3[],
  centre: Vector3,
  orientation: Quaternion,
  aspect: number,
): number {
  const inverse = orientation.clone().invert();
  let distance = 0;
  for (const point of points) {
    const p = point.clone().sub(centre).applyQuaternion(inverse);
    distance = Math.max(distance, p.z + Math.abs(p.y) / tangent, p.z + Math.abs(p.x) / (tangent * aspect));
  }
  return distance;
}

export class Turntable {
  /** As seen now. */
  readonly view: View = { target: new Vector3(), orientation: new Quaternion(), distance: 5 };
  readonly size: Size = { width: 1, height: 1 };
  /** Takes z to the up axis. */
  readonly upright = new Quaternion();
  readonly centre = new Vector3();
  /** Half of the diagonal of the bounding box. */
  radius = 1;
  private readonly goal: View = { target: new Vector3(), orientation: new Quaternion(), distance: 5 };
  private sampled: readonly Sampled[] = [];
  private azimuth = startAzimuth;
  private elevation = startElevation;
  private timeConstant = dragTime;
  /** Nobody has moved the camera since it framed the body: it follows the size of the canvas. */
  private framed = true;
  private moving = false;

  get busy(): boolean {
    return this.moving;
  }

  /** The points that are framed. The camera jumps there, moves there, or stays where somebody has moved it to. */
  setPoints(clouds: readonly Cloud[], how: 'jump' | 'move' | 'stay' = 'jump'): void {
    const known = new Map(this.sampled.map((some) => [some.cloud, some]));
    this.sampled = clouds.map((cloud) => known.get(cloud) ?? sample(cloud));
    if (how === 'stay' && !this.framed) {
      this.measure();
      return;
    }
    this.frame();
    if (how === 'jump') this.jump();
  }

  /** The camera goes along by what one of the clouds has moved since the camera last was with it. */
  follow(cloud: Cloud): void {
    const some = this.sampled.find((one) => one.cloud === cloud);
    const step = cloud.offset.clone().sub(some?.followed ?? cloud.offset);
    if (step.length() === 0) return;
    some?.followed.copy(cloud.offset);
    this.centre.add(step);
    this.goal.target.add(step);
    this.move(dragTime);
  }

  /** What a cloud has moved so far the camera need not catch up with. */
  followFromHere(cloud: Cloud): void {
    this.sampled.find((one) => one.cloud === cloud)?.followed.copy(cloud.offset);
  }

  resize(width: number, height: number): void {
    this.size.width = Math.max(1, width);
    this.size.height = Math.max(1, height);
    if (!this.framed) return;
    this.frame();
    this.jump();
  }

  /** Turns the scene so that an axis points up; the eye stays where it can. */
  setUp(axis: Vector3): void {
    const eye = axes(this.goal)[2];
    this.upright.setFromUnitVectors(new Vector3(0, 0, 1), axis.clone().normalize());
    if (this.framed) {
      this.frame();
    } else {
      const local = eye.applyQuaternion(this.upright.clone().invert());
      this.elevation = MathUtils.clamp(
        Math.asin(MathUtils.clamp(local.z, -1, 1)),
        -elevationLimit,
        elevationLimit,
      );
      this.azimuth = Math.atan2(local.x, -local.y);
      this.orient();
      this.move(frameTime);
    }
  }

  /** Pixels of pointer motion: the body turns with the pointer. */
  orbit(dx: number, dy: number): void {
    this.azimuth -= radiansPerPixel * dx;
    this.elevation = MathUtils.clamp(this.elevation + radiansPerPixel * dy, -elevationLimit, elevationLimit);
    this.orient();
    this.touch();
  }

  /** Pixels of pointer motion: what is at the depth of the target stays under the pointer. */
  pan(dx: number, dy: number): void {
    const scale = (2 * tangent * this.goal.distance) / this.size.height;
    const [right, up] = axes(this.goal);
    this.goal.target.addScaledVector(right, -scale * dx).addScaledVector(up, scale * dy);
    this.keepTargetNear();
    this.touch();
  }

  /** factor > 1: that much nearer, towards a pixel (default: the middle). */
  zoom(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    if (!(factor > 0)) return;
    const under = viewPlanePoint(this.goal, this.size, x, y, this.goal.target);
    const before = this.goal.distance;
    this.goal.distance = MathUtils.clamp(before / factor, 0.04 * this.radius, 16 * this.radius);
    this.goal.target
      .sub(under)
      .multiplyScalar(this.goal.distance / before)
      .add(under);
    this.keepTargetNear();
    this.touch();
  }

  /** All points in view, wherever they are, seen as at first. */
  frame(): void {
    this.measure();
    this.azimuth = startAzimuth;
    this.elevation = startElevation;
    this.orient();
    this.goal.target.copy(this.centre);
    const aspect = this.size.width / this.size.height;
    const points = this.sampled.flatMap(({ points: some, cloud: { offset } }) =>
      some.map((point) => point.clone().add(offset)),
    );
    const distance = fittingDistance(points, this.centre, this.goal.orientation, aspect);
    this.goal.distance = margin * Math.max(distance, 0.5 * this.radius);
    for (const { cloud, followed } of this.sampled) followed.copy(cloud.offset);
    this.framed = true;
    this.move(frameTime);
  }

  /** Moves on by `seconds`, and says whether the picture has changed. */
  update(seconds: number): boolean {
    if (!this.moving) return false;
    const share = 1 - Math.exp(-seconds / this.timeConstant);
    const { view, goal } = this;
    view.orientation.slerp(goal.orientation, share);
    view.target.lerp(goal.target, share);
    view.distance *= (goal.distance / view.distance) ** share;
    const left =
      view.orientation.angleTo(goal.orientation) +
      view.target.distanceTo(goal.target) / goal.distance +
      Math.abs(Math.log(view.distance / goal.distance));
    if (left < 5e-4) this.jump(); // less than a pixel
    return true;
  }

  /** Of all points, where they are. */
  private measure(): void {
    const [low, high] = emptyBox();
    for (const some of this.sampled) {
      low.min(some.low.clone().add(some.cloud.offset));
      high.max(some.high.clone().add(some.cloud.offset));
    }
    if (this.sampled.length === 0) [low, high].forEach((end) => end.set(0, 0, 0));
    this.centre.addVectors(low, high).multiplyScalar(0.5);
    this.radius = Math.max(low.distanceTo(high) / 2, 1e-9);
  }

  private jump(): void {
    this.view.target.copy(this.goal.target);
    this.view.orientation.copy(this.goal.orientation);
    this.view.distance = this.goal.distance;
    this.moving = false;
  }

  private move(timeConstant: number): void {
    this.timeConstant = timeConstant;
    this.moving = true;
  }

  private touch(): void {
    this.framed = false;
    this.move(dragTime);
  }

  private orient(): void {
    const [c, s] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    const right = new Vector3(c, s, 0);
    const back = new Vector3(ce * s, -ce * c, se);
    const up = back.clone().cross(right);
    this.goal.orientation
      .setFromRotationMatrix(new Matrix4().makeBasis(right, up, back))
      .premultiply(this.upright);
  }

  private keepTargetNear(): void {
    this.goal.target
      .sub(this.centre)
      .clampLength(0, 1.5 * this.radius)
      .add(this.centre);
  }
}

function emptyBox(): [low: Vector3, high: Vector3] {
  return [new Vector3(Infinity, Infinity, Infinity), new Vector3(-Infinity, -Infinity, -Infinity)];
}

function sample(cloud: Cloud): Sampled {
  const { positions } = cloud;
  const [low, high] = emptyBox();
  const point = new Vector3();
  const count = Math.floor(positions.length / 3);
  for (let i = 0; i < count; ++i) {
    point.fromArray(positions, 3 * i);
    low.min(point);
    high.max(point);
  }
  if (count === 0) [low, high].forEach((end) => end.set(0, 0, 0));
  const step = Math.max(1, Math.ceil(count / sampleCount));
  const points = Array.from({ length: Math.ceil(count / step) }, (_, i) =>
    new Vector3().fromArray(positions, 3 * step * i),
  );
  return { low, high, points, cloud, followed: cloud.offset.clone() };
}
