import {
  CylinderGeometry,
  DynamicDrawUsage,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Group,
} from 'three';
import { pixelLength, type Turntable } from './turntable';

const capacity = 32; // more than fingers
const lineWidth = 2.5; // px
const vertexSize = 9;
const handSize = 13;

const axis = new Vector3(0, 1, 0);

/** Lines from vertices to the hands that pull them, always as wide on the screen and in front of everything. */
export class PullLines {
  private readonly material = new MeshBasicMaterial({
    depthTest: false,
    transparent: true, // only to be drawn last
    toneMapped: false,
  });
  private readonly lines = new InstancedMesh(
    new CylinderGeometry(1, 1, 1, 10, 1, true),
    this.material,
    capacity,
  );
  private readonly balls = new InstancedMesh(new SphereGeometry(1, 20, 14), this.material, 2 * capacity);
  private readonly ends = Array.from({ length: 2 * capacity }, () => new Vector3());
  private count = 0;
  private readonly matrix = new Matrix4();
  private readonly rotation = new Quaternion();
  private readonly direction = new Vector3();
  private readonly middle = new Vector3();
  private readonly scale = new Vector3();

  constructor(group: Group) {
    for (const mesh of [this.lines, this.balls]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 20;
      mesh.count = 0;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      group.add(mesh);
    }
  }

  setColor(style: string): void {
    this.material.color.set(style);
  }

  set(pulls: readonly { readonly point: readonly number[]; readonly target: readonly number[] }[]): void {
    this.count = Math.min(pulls.length, capacity);
    for (let i = 0; i < this.count; ++i) {
      this.ends[2 * i]!.fromArray(pulls[i]!.point as number[]);
      this.ends[2 * i + 1]!.fromArray(pulls[i]!.target as number[]);
    }
  }

  /** Before each picture: their size follows the camera. */
  update(turntable: Turntable): void {
    this.lines.count = this.count;
    this.balls.count = 2 * this.count;
    this.lines.visible = this.balls.visible = this.count > 0;
    for (let i = 0; i < this.count; ++i) {
      const [point, target] = [this.ends[2 * i]!, this.ends[2 * i + 1]!];
      const [near, far] = [point, target].map((end) => pixelLength(turntable.view, turntable.size, end));
      this.direction.subVectors(target, point);
      const length = this.direction.length();
      this.rotation.setFromUnitVectors(axis, length > 0 ? this.direction.divideScalar(length) : axis);
      this.middle.addVectors(point, target).multiplyScalar(0.5);
      const radius = (lineWidth * (near! + far!)) / 4;
      this.lines.setMatrixAt(
        i,
        this.matrix.compose(this.middle, this.rotation, this.scale.set(radius, length, radius)),
      );
      this.setBall(2 * i, point, (vertexSize * near!) / 2);
      this.setBall(2 * i + 1, target, (handSize * far!) / 2);
    }
    if (this.count === 0) return;
    this.lines.instanceMatrix.needsUpdate = true;
    this.balls.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of [this.lines, this.balls]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.material.dispose();
  }

  private setBall(index: number, place: Vector3, radius: number): void {
    this.balls.setMatrixAt(index, this.matrix.makeScale(radius, radius, radius).setPosition(place));
  }
}
