import { Color, DirectionalLight, Group, HemisphereLight, Vector3, type Quaternion } from 'three';
import type { RimUniforms } from './displaced_surface';
import type { Palette } from './theme';

const keyDirection = new Vector3(-0.55, -0.5, 1.0).normalize(); // from the left, in front and above, with z up
const shadowMapSize = 1024;

/** Soft light from the sky, a key light with shadows, a fill light that goes with the camera, and a rim. */
export class Lighting {
  readonly group = new Group();
  readonly rim: RimUniforms = { rimColor: { value: new Color() }, rimUp: { value: new Vector3(0, 1, 0) } };
  private readonly hemisphere = new HemisphereLight();
  private readonly key = new DirectionalLight();
  private readonly fill = new DirectionalLight();
  private readonly up = new Vector3(0, 0, 1);

  constructor() {
    this.key.castShadow = true;
    this.key.shadow.mapSize.setScalar(shadowMapSize);
    this.key.shadow.radius = 3;
    this.group.add(this.hemisphere, this.key, this.key.target, this.fill, this.fill.target);
  }

  /** Whether the key light throws shadows. */
  setShadows(on: boolean): void {
    this.key.castShadow = on;
  }

  setPalette(palette: Palette): void {
    this.hemisphere.color.set(palette.sky);
    this.hemisphere.groundColor.set(palette.bounce);
    this.hemisphere.intensity = palette.hemisphere;
    this.key.intensity = palette.key;
    this.fill.intensity = palette.fill;
    this.rim.rimColor.value.set(palette.rim);
  }

  /** About a body of this size; `upright` takes z to the up axis. */
  place(centre: Vector3, radius: number, upright: Quaternion): void {
    this.up.set(0, 0, 1).applyQuaternion(upright);
    this.hemisphere.position.copy(this.up);
    this.key.target.position.copy(centre);
    this.key.position
      .copy(keyDirection)
      .applyQuaternion(upright)
      .multiplyScalar(4 * radius)
      .add(centre);
    const { camera } = this.key.shadow;
    camera.left = camera.bottom = -1.6 * radius;
    camera.right = camera.top = 1.6 * radius;
    camera.near = 1.5 * radius;
    camera.far = 8 * radius;
    camera.updateProjectionMatrix();
    // Three texels: the filter reaches as far.
    this.key.shadow.normalBias = (3 * 3.2 * radius) / shadowMapSize;
    this.key.shadow.bias = -0.0004;
    this.fill.target.position.copy(centre);
    this.group.updateMatrixWorld();
  }

  /** The fill light comes from the right of the camera. */
  follow(position: Vector3, orientation: Quaternion, inverse: Quaternion): void {
    this.fill.position.set(0.7, 0.15, 0.6).applyQuaternion(orientation);
    this.fill.position
      .multiplyScalar(position.distanceTo(this.fill.target.position))
      .add(this.fill.target.position);
    this.fill.updateMatrixWorld();
    (this.rim.rimUp.value as Vector3).copy(this.up).applyQuaternion(inverse);
  }

  dispose(): void {
    this.key.dispose();
    this.fill.dispose();
    this.hemisphere.dispose();
  }
}
