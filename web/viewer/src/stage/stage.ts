// Everything that is drawn in 3D. The page tells it what to show and asks it where things are; it knows no gestures.

import {
  Group,
  Matrix4,
  PerspectiveCamera,
  Quaternion,
  Scene,
  Vector3 as Vector,
  type WebGLRenderer,
} from 'three';
import type { SimulationMesh, Surface, Vector3 } from '../../../runtime/src/types';
import { Body } from './body';
import type { GripPart } from '../handle_grip';
import { placeCamera } from './camera';
import { type DomainSurface, type DomainView, partColors, splitByDomain } from './domain_colors';
import { HandleGizmos, type DrawnHandle, type HandleUnderPointer } from './handle_gizmos';
import { PullLines } from './pull_lines';
import type { Quality } from './quality';
import { deviceQuality, makeRenderer, textureLimits } from './renderer';
import { displacedVertex } from './surface_points';
import { SimulationOverlay, type Overlays } from './simulation_overlay';
import { Surroundings } from './surroundings';
import type { TextureLimits } from './texture_layout';
import { palettes, type Theme } from './theme';
import { fieldOfView, Turntable, viewPlanePoint, viewProject, viewRay } from './turntable';

export interface Ray {
  readonly origin: Vector3;
  readonly direction: Vector3;
}

export class Stage {
  private readonly renderer: WebGLRenderer;
  private readonly limits: TextureLimits;
  private readonly scene = new Scene();
  private readonly bodies = new Group();
  private readonly camera = new PerspectiveCamera((fieldOfView * 180) / Math.PI);
  private readonly turntable = new Turntable();
  private readonly surroundings: Surroundings;
  private readonly pulls = new PullLines(this.bodies);
  private readonly handles = new HandleGizmos(this.bodies);
  private readonly up = new Vector(0, 0, 1);
  private surface: DomainSurface | null = null;
  private domains: DomainView = { colored: false, selected: null };
  private simulationMesh: SimulationMesh | null = null;
  private body: Body | null = null;
  private simulation: SimulationOverlay | null = null;
  private overlays: Overlays = { mesh: false, cubature: false, fixed: false };
  private theme: Theme = 'light';
  private q: Float32Array = new Float32Array(0);
  private warped = false;
  private readonly pose = new Matrix4();
  /** m by which the body has moved. */
  private readonly shift = new Vector();
  private restored = false;
  private lastTime = -Infinity;
  private quality: Quality;
  private cssSize = { width: 1, height: 1, pixelRatio: 1 };

  /** quality: as the device allows where none is given. Throws where the browser has no WebGL 2. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    quality?: Quality,
  ) {
    this.quality = quality ?? deviceQuality();
    this.renderer = makeRenderer(canvas, this.quality);
    this.limits = textureLimits(this.renderer);
    this.surroundings = new Surroundings(this.quality);
    this.scene.matrixWorldAutoUpdate = false; // nothing moves but instances and lights, which say so
    this.scene.add(this.surroundings.group, this.bodies);
    this.setTheme(this.theme);
    this.place();
    canvas.addEventListener('webglcontextlost', this.lose);
    canvas.addEventListener('webglcontextrestored', this.restore);
  }

  get busy(): boolean {
    return this.turntable.busy || this.restored || (this.surroundings.shadowsStale && this.body !== null);
  }

  setQuality(quality: Quality): void {
    if (quality === this.quality) return;
    this.quality = quality;
    this.surroundings.setQuality(quality);
    this.body?.setQuality(quality);
    const { width, height, pixelRatio } = this.cssSize;
    this.resize(width, height, pixelRatio);
  }

  /** Shows a body at rest and frames it, or nothing. Throws where it is too large for the graphics device. */
  setBody(body: Surface | null): void {
    this.setSimulationMesh(null);
    this.removeBody();
    this.surface = null;
    this.q = new Float32Array(0);
    this.warped = false;
    this.pose.identity();
    this.shift.set(0, 0, 0);
    this.pulls.set([]);
    this.handles.set([]);
    this.handles.select(null);
    if (!body) return;
    const surface = splitByDomain(body);
    this.buildBody(surface);
    this.surface = surface;
    this.turntable.setPoints(surface.positions);
    this.place();
  }

  setSimulationMesh(mesh: SimulationMesh | null): void {
    if (this.simulation) {
      this.bodies.remove(this.simulation.group);
      this.simulation.dispose();
      this.simulation = null;
    }
    this.simulationMesh = mesh;
    if (mesh) {
      this.simulation = new SimulationOverlay(this.limits, mesh, this.surroundings.rim);
      this.simulation.setPalette(palettes[this.theme]);
      this.simulation.setCoordinates(this.q, this.pose);
      this.bodies.add(this.simulation.group);
    }
    this.setOverlays(this.overlays);
  }

  /**
   * q: r' <= r coordinates, the others are 0; positions where the surface has no basis. warped: of warped modes, which the simulation mesh
   * knows nothing of. pose: as in Frame. Goes to the graphics device with the next frame.
   */
  setCoordinates(q: Float32Array, warped: boolean, pose: readonly number[]): void {
    const moved = poseMatrix(pose);
    const same = this.q.length === q.length && q.every((value, i) => value === this.q[i]);
    if (same && warped === this.warped && moved.equals(this.pose)) return;
    if (this.q.length !== q.length) this.q = new Float32Array(q.length);
    this.q.set(q);
    this.warped = warped;
    this.pose.copy(moved);
    this.moveBody();
    this.simulation?.setCoordinates(q, moved);
  }

  /** By how much the body has moved, m, and whether the camera goes along. */
  setShift(shift: Vector3, follow: boolean): void {
    this.shift.set(...shift);
    if (follow) this.turntable.follow(this.shift);
  }

  /** How domains are told apart. */
  setDomains(view: DomainView): void {
    this.domains = view;
    if (this.surface) this.body?.surface.setColors(partColors(this.surface, view));
  }

  setPulls(pulls: readonly { point: Vector3; target: Vector3 }[]): void {
    this.pulls.set(pulls);
  }

  setHandles(handles: readonly DrawnHandle[]): void {
    this.handles.set(handles);
  }

  /** The one that stands out; null: none. */
  selectHandle(id: number | null): void {
    this.handles.select(id);
  }

  setOverlays(overlays: { mesh: boolean; cubature: boolean; fixed: boolean }): void {
    this.overlays = overlays;
    this.simulation?.setOverlays(overlays);
    this.simulation?.setPixelRatio(this.renderer.getPixelRatio());
    this.body?.setTranslucent(this.simulation !== null && (overlays.mesh || overlays.cubature));
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const palette = palettes[theme];
    this.surroundings.setPalette(palette);
    this.pulls.setColor(palette.pull);
    this.handles.setColor(palette.pull);
    this.simulation?.setPalette(palette);
  }

  /** Which way is up for ground, light and camera. An axis without length changes nothing. */
  setUp(axis: Vector3): void {
    const up = new Vector(...axis);
    if (!(up.length() > 0)) return;
    up.normalize();
    if (up.distanceTo(this.up) < 1e-6) return;
    this.up.copy(up);
    this.turntable.setUp(up);
    this.place();
  }

  /** CSS pixels, and device pixels for each of them. */
  resize(width: number, height: number, pixelRatio: number): void {
    this.cssSize = { width, height, pixelRatio };
    const ratio = this.quality === 'full' ? pixelRatio : Math.min(1, pixelRatio);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(Math.max(1, width), Math.max(1, height), false);
    this.turntable.resize(width, height);
    this.simulation?.setPixelRatio(ratio);
  }

  /** One frame. */
  render(): void {
    const { renderer } = this;
    if (renderer.getContext().isContextLost()) return;
    this.restored = false;
    this.moveCamera();
    this.pulls.update(this.turntable);
    this.handles.update(this.turntable);
    const moved = this.body?.surface.update(renderer) ?? false;
    if (this.simulation?.shown) this.simulation.update(renderer);
    this.surroundings.updateShadows(renderer, moved, this.lastTime);
    renderer.setRenderTarget(null);
    renderer.clear();
    renderer.render(this.scene, this.camera);
  }

  /** From the eye through a point of the canvas, in CSS pixels. The direction has unit length. */
  ray(x: number, y: number): Ray {
    const { origin, direction } = viewRay(this.turntable.view, this.turntable.size, x, y);
    return { origin: origin.toArray(), direction: direction.toArray() };
  }

  /** Under the pointer, in the plane parallel to the screen through a point. */
  pointInPlane(x: number, y: number, through: Vector3): Vector3 {
    return viewPlanePoint(this.turntable.view, this.turntable.size, x, y, new Vector(...through)).toArray();
  }

  /** CSS pixels. */
  project(point: Vector3): { x: number; y: number } {
    return viewProject(this.turntable.view, this.turntable.size, new Vector(...point));
  }

  /** Of the surface at the present q, computed on the CPU. O(r). */
  vertexPosition(vertex: number): Vector3 {
    if (!this.surface) return [0, 0, 0];
    if (this.surface.basis.length > 0) {
      const point = displacedVertex(this.surface, this.q, vertex, this.warped);
      return new Vector(...point).applyMatrix4(this.pose).toArray();
    }
    const x = this.q.length > 0 ? this.q : this.surface.positions;
    return [x[3 * vertex]!, x[3 * vertex + 1]!, x[3 * vertex + 2]!];
  }

  /** The part of a handle at a point of the canvas, or within `reach` CSS pixels of it. */
  handleAt(x: number, y: number, reach: number): HandleUnderPointer | null {
    return this.handles.pick(this.turntable, x, y, reach);
  }

  /** Where a part of a handle is on the canvas, CSS pixels; angle: along a ring. null: there is no such handle. */
  projectHandle(id: number, part: GripPart, angle: number): { x: number; y: number } | null {
    const point = this.handles.point(this.turntable, id, part, angle);
    return point && viewProject(this.turntable.view, this.turntable.size, point);
  }

  /** Pixels of pointer motion. */
  orbit(dx: number, dy: number): void {
    this.turntable.orbit(dx, dy);
  }

  /** Pixels of pointer motion. */
  pan(dx: number, dy: number): void {
    this.turntable.pan(dx, dy);
  }

  /** factor > 1: nearer by that factor, towards a point of the canvas (default: its middle). */
  zoom(factor: number, x?: number, y?: number): void {
    this.turntable.zoom(factor, x, y);
  }

  /** The whole body in view, as at first, wherever it is. */
  frame(): void {
    this.turntable.follow(this.shift);
    this.turntable.frame();
  }

  dispose(): void {
    this.canvas.removeEventListener('webglcontextlost', this.lose);
    this.canvas.removeEventListener('webglcontextrestored', this.restore);
    this.setSimulationMesh(null);
    this.removeBody();
    for (const item of [this.surroundings, this.pulls, this.handles, this.renderer]) item.dispose();
  }

  private buildBody(surface: DomainSurface): void {
    this.body = new Body(this.bodies, this.limits, surface, this.surroundings.rim);
    this.body.setQuality(this.quality);
    this.body.surface.setColors(partColors(surface, this.domains));
    this.moveBody(surface);
    this.surroundings.setBody(this.body.surface);
    this.setOverlays(this.overlays);
  }

  private moveBody(surface = this.surface): void {
    const field = this.body?.surface.field;
    if (surface && surface.basis.length > 0) field?.setCoordinates(this.q, this.warped, this.pose);
    else if (this.q.length > 0) field?.setPositions(this.q);
  }

  private removeBody(): void {
    this.surroundings.setBody(null);
    this.body?.dispose();
    this.body = null;
  }

  /** Objects of a lost context go with it: freed later they would be unknown to the new one. */
  private readonly lose = (): void => {
    const { simulationMesh } = this;
    this.setSimulationMesh(null);
    this.simulationMesh = simulationMesh;
    this.removeBody();
  };

  /** three has made a new context. What was let go after its upload is made again. */
  private readonly restore = (): void => {
    const { surface, simulationMesh } = this;
    this.lose();
    if (surface) this.buildBody(surface);
    this.setSimulationMesh(simulationMesh);
    this.restored = true;
  };

  /** Ground and lights about the body. */
  private place(): void {
    this.surroundings.place(this.turntable, this.surface?.positions ?? new Float32Array(0));
  }

  private moveCamera(): void {
    const now = performance.now();
    // A pause between frames is no time that the camera moved in.
    this.turntable.update(Math.min((now - this.lastTime) / 1000, 1 / 20));
    this.lastTime = now;
    placeCamera(this.camera, this.turntable);
    this.surroundings.follow(this.camera, this.turntable.radius);
  }
}

/** Of a pose as in Frame. */
function poseMatrix([x = 0, y = 0, z = 0, i = 0, j = 0, k = 0, w = 1]: readonly number[]): Matrix4 {
  return new Matrix4().compose(new Vector(x, y, z), new Quaternion(i, j, k, w), new Vector(1, 1, 1));
}
