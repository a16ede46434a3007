import type { PerspectiveCamera } from 'three';
import type { Turntable } from './turntable';

/** Puts a camera where the turntable is, with planes that hold the body and the ground about it whatever their size. */
export function placeCamera(camera: PerspectiveCamera, { view, size, radius, centre }: Turntable): void {
  camera.quaternion.copy(view.orientation);
  camera.position.set(0, 0, view.distance).applyQuaternion(view.orientation).add(view.target);
  const reach = camera.position.distanceTo(centre);
  camera.near = Math.max(reach - 4 * radius, 0.02 * view.distance);
  camera.far = reach + 9 * radius;
  camera.aspect = size.width / size.height;
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
}
