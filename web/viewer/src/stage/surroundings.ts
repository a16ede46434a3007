// What is about the bodies: background, ground and lights, and the shadows that it throws.

import { Group, Quaternion, Vector3, type PerspectiveCamera, type Scene, type WebGLRenderer } from 'three';
import { Background } from './background';
import type { DisplacedSurface, RimUniforms } from './displaced_surface';
import { Ground, gridDensity } from './ground';
import { Lighting } from './lighting';
import type { Quality } from './quality';
import { lowest } from './surface_points';
import type { Palette } from './theme';
import type { Cloud, Turntable } from './turntable';

/** ms between two updates of the contact shadow in light pictures. */
const contactInterval = 300;

export class Surroundings {
  readonly group = new Group();
  private readonly background = new Background();
  private readonly ground = new Ground();
  private readonly lighting = new Lighting();
  private readonly groundPoint = new Vector3();
  private readonly up = new Vector3(0, 0, 1);
  private readonly inverse = new Quaternion();
  private readonly scratch = new Vector3();
  /** Whether bodies lie on the ground, which is then where their lowest points are at rest. */
  private solid = false;
  private stale = true;
  private contactDue = -Infinity;

  constructor(private quality: Quality) {
    this.group.add(this.background.mesh, this.ground.mesh, this.lighting.group);
    this.setQuality(quality);
  }

  /** Light that bodies share. */
  get rim(): RimUniforms {
    return this.lighting.rim;
  }

  /** Whether the shadows are not those of the bodies as they are. */
  get shadowsStale(): boolean {
    return this.stale;
  }

  setPalette(palette: Palette): void {
    this.background.setPalette(palette);
    this.ground.setPalette(palette);
    this.lighting.setPalette(palette);
  }

  setQuality(quality: Quality): void {
    this.quality = quality;
    this.lighting.setShadows(quality === 'full');
    this.ground.setQuality(quality);
    this.contactDue = -Infinity;
    this.stale = true;
  }

  /** Whether bodies can lie on the ground; shown from the next `place` on. */
  setSolid(solid: boolean): void {
    this.solid = solid;
    this.ground.setGrid(solid);
  }

  /** The bodies whose shadows are drawn. */
  setBodies(bodies: readonly DisplacedSurface[]): void {
    this.ground.setBodies(bodies);
    this.contactDue = -Infinity;
    this.stale = true;
  }

  /** The clip whose shadow is drawn; null: none. */
  setClip(clip: Scene | null): void {
    this.ground.setClip(clip);
    this.contactDue = -Infinity;
    this.stale = true;
  }

  /** Puts ground and lights about the bodies that the turntable shows; the ground is below the lowest point of all. */
  place({ centre, radius, upright }: Turntable, bodies: readonly Cloud[]): void {
    this.up.set(0, 0, 1).applyQuaternion(upright);
    const low = bodies.reduce((least, { positions, offset }) => {
      const origin = this.scratch.copy(centre).sub(offset).toArray();
      return Math.min(least, lowest(positions, origin, this.up.toArray()));
    }, Infinity);
    const gap = (this.solid ? 0.001 : 0.015) * radius; // none would show through bodies that lie on it
    this.groundPoint.copy(centre).addScaledVector(this.up, (low < Infinity ? low : -radius) - gap);
    this.ground.place(this.groundPoint, upright, radius);
    this.lighting.place(centre, radius, upright);
    this.stale = true;
  }

  /** What depends on the eye. The ground has no end: its middle stays below what the camera goes along with. */
  follow(camera: PerspectiveCamera, turntable: Turntable): void {
    const { radius } = turntable;
    this.recentre(turntable);
    this.inverse.copy(camera.quaternion).invert();
    this.lighting.follow(camera.position, camera.quaternion, this.inverse);
    this.ground.setEyeHeight(this.scratch.copy(camera.position).sub(this.groundPoint).dot(this.up) / radius);
  }

  /** By whole cells of the grid, which stays where it is so. */
  private recentre({ centre, radius, upright }: Turntable): void {
    const cell = radius / gridDensity;
    const drift = this.scratch.copy(centre).sub(this.groundPoint);
    drift.applyQuaternion(this.inverse.copy(upright).invert()).setZ(0);
    if (drift.length() < radius) return;
    drift.divideScalar(cell).round().multiplyScalar(cell).applyQuaternion(upright);
    this.groundPoint.add(drift);
    this.ground.place(this.groundPoint, upright, radius);
    this.lighting.place(centre, radius, upright);
    this.stale = true;
  }

  /** Draws the shadows anew where they must be. moved: the body did.  now: ms. Leaves the renderer with another target. */
  updateShadows(renderer: WebGLRenderer, moved: boolean, now: number): void {
    this.stale ||= moved;
    if (!this.stale || now < this.contactDue) return;
    this.stale = false;
    this.ground.update(renderer);
    if (this.quality === 'full') renderer.shadowMap.needsUpdate = true;
    else this.contactDue = now + contactInterval;
  }

  dispose(): void {
    for (const item of [this.background, this.ground, this.lighting]) item.dispose();
  }
}
