import {
  CanvasTexture,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Sprite,
  SpriteMaterial,
  Vector3,
} from 'three';
import { formatUnit } from '../settings_text';
import type { ToolState } from '../tool';
import { pixelLength, type Turntable } from './turntable';

const shaftWidth = 4; // px
const tipSize = 14;
const labelHeight = 20;
/** px: of an arrow for a force as large as the largest one so far. */
const arrowLength = 110;
const labelWidth = 128; // of its texture, px
const labelPixels = 32;

const axis = new Vector3(0, 1, 0);

/** The ball in a person's hand, and what it feels: an arrow as long as the force, and a number. */
export class ToolBall {
  readonly group = new Group();
  private tool: ToolState | null = null;
  private largest = 0;
  private text = '';
  private readonly ballMaterial = new MeshStandardMaterial({
    color: '#d98f2b',
    roughness: 0.5,
    metalness: 0,
  });
  private readonly ball = new Mesh(new SphereGeometry(1, 48, 32), this.ballMaterial);
  private readonly arrowMaterial = new MeshBasicMaterial({
    depthTest: false,
    transparent: true,
    toneMapped: false,
  });
  private readonly shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12), this.arrowMaterial);
  private readonly tip = new Mesh(new ConeGeometry(0.5, 1, 20), this.arrowMaterial);
  private readonly canvas = document.createElement('canvas');
  private readonly texture: CanvasTexture;
  private readonly label: Sprite;
  private readonly center = new Vector3();
  private readonly direction = new Vector3();
  private readonly rotation = new Quaternion();

  constructor() {
    this.canvas.width = labelWidth;
    this.canvas.height = labelPixels;
    this.texture = new CanvasTexture(this.canvas);
    this.label = new Sprite(new SpriteMaterial({ map: this.texture, depthTest: false, toneMapped: false }));
    this.ball.castShadow = true;
    for (const mesh of [this.shaft, this.tip, this.label]) mesh.renderOrder = 21;
    this.group.add(this.ball, this.shaft, this.tip, this.label);
    this.group.visible = false;
  }

  setColor(style: string): void {
    this.arrowMaterial.color.set(style);
    this.text = ''; // drawn anew
  }

  /** null: there is none. */
  set(tool: ToolState | null): void {
    this.tool = tool;
    if (!tool) this.largest = 0;
  }

  /** Whether a ray comes as near as `reach`, m. direction: of unit length. */
  meets(origin: Vector3, direction: Vector3, reach: number): boolean {
    if (!this.tool) return false;
    this.center.set(...this.tool.position).sub(origin);
    const along = this.center.dot(direction);
    if (along <= 0) return false;
    return this.center.lengthSq() - along ** 2 <= (this.tool.radius + reach) ** 2;
  }

  /** Before each picture: the arrow's size follows the camera. */
  update(turntable: Turntable): void {
    const { tool } = this;
    this.group.visible = tool !== null;
    if (!tool) return;
    this.center.set(...tool.position);
    this.ball.position.copy(this.center);
    this.ball.scale.setScalar(tool.radius);
    const force = Math.hypot(...tool.force);
    this.largest = Math.max(this.largest, force);
    const pixel = pixelLength(turntable.view, turntable.size, this.center);
    const felt = force > 1e-3 * this.largest;
    this.shaft.visible = this.tip.visible = this.label.visible = felt;
    if (felt) this.point(tool, force, pixel);
    for (const part of [this.ball, this.shaft, this.tip, this.label]) part.updateMatrix();
    this.group.updateMatrixWorld(true);
  }

  dispose(): void {
    for (const mesh of [this.ball, this.shaft, this.tip]) mesh.geometry.dispose();
    this.ballMaterial.dispose();
    this.arrowMaterial.dispose();
    this.label.material.dispose();
    this.texture.dispose();
  }

  private point(tool: ToolState, force: number, pixel: number): void {
    const length = tool.radius + (arrowLength * pixel * force) / this.largest;
    this.direction.set(...tool.force).divideScalar(force);
    this.rotation.setFromUnitVectors(axis, this.direction);
    this.shaft.quaternion.copy(this.rotation);
    this.shaft.position.copy(this.center).addScaledVector(this.direction, length / 2);
    this.shaft.scale.set((shaftWidth * pixel) / 2, length, (shaftWidth * pixel) / 2);
    this.tip.quaternion.copy(this.rotation);
    this.tip.position.copy(this.center).addScaledVector(this.direction, length + (tipSize * pixel) / 2);
    this.tip.scale.setScalar(tipSize * pixel);
    this.write(formatUnit(force, 'N'));
    this.label.position.copy(this.center).addScaledVector(this.direction, length + 2 * tipSize * pixel);
    const height = labelHeight * pixel;
    this.label.scale.set((height * labelWidth) / labelPixels, height, 1);
  }

  private write(text: string): void {
    if (text === this.text) return;
    this.text = text;
    const context = this.canvas.getContext('2d');
    if (!context) return;
    context.clearRect(0, 0, labelWidth, labelPixels);
    context.font = 'bold 24px sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = `#${this.arrowMaterial.color.getHexString()}`;
    context.fillText(text, labelWidth / 2, labelPixels / 2);
    this.texture.needsUpdate = true;
  }
}
