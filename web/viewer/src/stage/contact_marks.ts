import {
  DynamicDrawUsage,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  SphereGeometry,
  Vector3,
  type Group,
} from 'three';
import { pixelLength, type Turntable } from './turntable';

const capacity = 2048; // points of a body's shell, some of which touch
const markSize = 5; // px

/** Small balls where bodies are pushed, always as large on the screen and in front of everything. */
export class ContactMarks {
  private readonly material = new MeshBasicMaterial({
    depthTest: false,
    transparent: true, // only to be drawn last
    toneMapped: false,
  });
  private readonly balls = new InstancedMesh(new SphereGeometry(1, 8, 6), this.material, capacity);
  private places: readonly number[] = [];
  private readonly matrix = new Matrix4();
  private readonly place = new Vector3();

  constructor(group: Group) {
    this.balls.frustumCulled = false;
    this.balls.renderOrder = 15;
    this.balls.count = 0;
    this.balls.instanceMatrix.setUsage(DynamicDrawUsage);
    group.add(this.balls);
  }

  setColor(style: string): void {
    this.material.color.set(style);
  }

  /** places: 3 n. */
  set(places: readonly number[]): void {
    this.places = places;
  }

  /** Before each picture: their size follows the camera. */
  update(turntable: Turntable): void {
    const count = Math.min(this.places.length / 3, capacity);
    this.balls.count = count;
    this.balls.visible = count > 0;
    for (let i = 0; i < count; ++i) {
      this.place.fromArray(this.places as number[], 3 * i);
      const radius = (markSize * pixelLength(turntable.view, turntable.size, this.place)) / 2;
      this.balls.setMatrixAt(i, this.matrix.makeScale(radius, radius, radius).setPosition(this.place));
    }
    if (count > 0) this.balls.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.balls.geometry.dispose();
    this.balls.dispose();
    this.material.dispose();
  }
}
