import { Group, Mesh, MeshStandardMaterial, SphereGeometry, Vector3 } from 'three';
import type { Surroundings } from '../contact';
import type { Cloud } from './turntable';

/** What stands in the way of bodies. */
export class Obstacles {
  readonly group = new Group();
  /** Points for the camera to show. */
  clouds: readonly Cloud[] = [];
  private readonly geometry = new SphereGeometry(1, 64, 40);
  private readonly material = new MeshStandardMaterial({ color: '#8f9aa8', roughness: 0.6, metalness: 0 });

  set(balls: Surroundings['balls']): void {
    this.group.clear();
    this.clouds = balls.map(({ center: [x, y, z], radius }) => ({
      positions: Float32Array.of(x - radius, y - radius, z - radius, x + radius, y + radius, z + radius),
      offset: new Vector3(),
    }));
    for (const { center, radius } of balls) {
      const mesh = new Mesh(this.geometry, this.material);
      mesh.position.set(...center);
      mesh.scale.setScalar(radius);
      mesh.castShadow = true;
      mesh.updateMatrixWorld();
      this.group.add(mesh);
    }
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
