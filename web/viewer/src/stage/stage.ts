// Everything that is drawn in 3D. The page tells it what to show and asks it where things are; it knows no gestures.

import { Group, PerspectiveCamera, Scene, Vector3 as Vector, type WebGLRenderer } from 'three';
import type { SimulationMesh, Surface, Vector3 } from '../../../runtime/src/types';
import type { Surroundings as Met } from '../contact';
import type { GripPart } from '../handle_grip';
import type { ToolState } from '../tool';
import { placeCamera } from './camera';
import { ContactMarks } from './contact_marks';
import type { DomainView } from './domain_colors';
import { DrawnBody, type DrawnWith } from './drawn_body';
import type { DrawnClip } from './drawn_clip';
import { HandleGizmos, type DrawnHandle, type HandleUnderPointer } from './handle_gizmos';
import { Obstacles } from './obstacles';
import { PullLines } from './pull_lines';
import type { Quality } from './quality';
import { deviceQuality, makeRenderer, textureLimits } from './renderer';
import type { Overlays } from './simulation_overlay';
import { Surroundings } from './surroundings';
import { palettes, type Theme } from './theme';
import { ToolBall } from './tool_ball';
import { fieldOfView, pixelLength, Turntable, viewPlanePoint, viewProject, viewRay } from './turntable';

export interface Ray {
  readonly origin: Vector3;
  readonly direction: Vector3;
}

export class Stage {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly group = new Group();
  /** By their numbers. */
  private readonly bodies = new Map<number, DrawnBody>();
  private readonly drawnWith: DrawnWith;
  private readonly camera = new PerspectiveCamera((fieldOfView * 180) / Math.PI);
  private readonly turntable = new Turntable();
  private readonly surroundings: Surroundings;
  private readonly pulls = new PullLines(this.group);
  private readonly handles = new HandleGizmos(this.group);
  private readonly contacts = new ContactMarks(this.group);
  private readonly obstacles = new Obstacles();
  private readonly tool = new ToolBall();
  private readonly up = new Vector(0, 0, 1);
  private clip: DrawnClip | null = null;
  private clipMoved = false;
  /** Whether bodies can lie on the ground. */
  private solid = false;
  private theme: Theme = 'light';
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
    this.surroundings = new Surroundings(this.quality);
    this.drawnWith = {
      group: this.group,
      limits: textureLimits(this.renderer),
      rim: this.surroundings.rim,
      palette: () => palettes[this.theme],
      quality: () => this.quality,
      pixelRatio: () => this.renderer.getPixelRatio(),
    };
    this.scene.matrixWorldAutoUpdate = false; // nothing moves but instances and lights, which say so
    this.scene.add(this.surroundings.group, this.group, this.obstacles.group, this.tool.group);
    this.setTheme(this.theme);
    this.place();
    canvas.addEventListener('webglcontextlost', this.lose);
    canvas.addEventListener('webglcontextrestored', this.restore);
  }

  get busy(): boolean {
    const shown = this.bodies.size > 0 || this.clip !== null;
    return this.turntable.busy || this.restored || (this.surroundings.shadowsStale && shown);
  }

  setQuality(quality: Quality): void {
    if (quality === this.quality) return;
    this.quality = quality;
    this.surroundings.setQuality(quality);
    for (const body of this.bodies.values()) body.setQuality(quality);
    this.clip?.setQuality(quality);
    const { width, height, pixelRatio } = this.cssSize;
    this.resize(width, height, pixelRatio);
  }

  /**
   * Shows a body at rest, m from where it was made, and frames all; id: its number from now on. Throws where it is too large for the graphics
   * device.
   */
  addBody(id: number, surface: Surface, place: Vector3): void {
    const first = this.bodies.size === 0;
    this.bodies.set(id, new DrawnBody(surface, place, this.drawnWith));
    this.gather(first ? 'jump' : 'move');
  }

  removeBody(id: number): void {
    this.bodies.get(id)?.lose();
    if (this.bodies.delete(id)) this.gather('stay');
  }

  /** Shows a clip in place of what was shown, and frames all places that it comes to; null: none. */
  setClip(clip: DrawnClip | null): void {
    if (this.clip) {
      this.scene.remove(this.clip.scene);
      this.clip.dispose();
    }
    this.clip = clip;
    this.surroundings.setClip(clip?.scene ?? null);
    this.surroundings.setSolid(clip?.grounded ?? this.solid);
    if (!clip) return;
    clip.setRim(this.surroundings.rim);
    clip.setQuality(this.quality);
    this.scene.add(clip.scene);
    this.moveClip(0);
    this.gather('jump');
  }

  /** time: s from its start. */
  moveClip(time: number): void {
    this.clip?.setTime(time);
    this.clipMoved = true;
  }

  setSimulationMesh(id: number, mesh: SimulationMesh | null): void {
    this.bodies.get(id)?.setSimulationMesh(mesh);
  }

  /**
   * q: r' <= r coordinates, the others are 0; positions where the surface has no basis. warped: of warped modes, which the simulation mesh
   * knows nothing of. pose: as in Frame. Goes to the graphics device with the next frame.
   */
  setCoordinates(id: number, q: Float32Array, warped: boolean, pose: readonly number[]): void {
    this.bodies.get(id)?.setCoordinates(q, warped, pose);
  }

  /** By how much a body has moved, m, and whether the camera goes along. */
  setShift(id: number, shift: Vector3, follow: boolean): void {
    const body = this.bodies.get(id);
    body?.setShift(shift);
    if (body && follow) this.turntable.follow(body.cloud);
  }

  /** What the body has flown so far the camera need not catch up with. */
  followFromHere(id: number): void {
    const body = this.bodies.get(id);
    if (body) this.turntable.followFromHere(body.cloud);
  }

  /** How domains are told apart. */
  setDomains(id: number, view: DomainView): void {
    this.bodies.get(id)?.setDomains(view);
  }

  setPulls(pulls: readonly { point: Vector3; target: Vector3 }[]): void {
    this.pulls.set(pulls);
  }

  setHandles(handles: readonly DrawnHandle[]): void {
    this.handles.set(handles);
  }

  /** Where bodies are pushed: 3 n. */
  setContacts(places: readonly number[]): void {
    this.contacts.set(places);
  }

  /** What bodies meet. */
  setSurroundings({ ground, balls }: Met): void {
    this.solid = ground !== null;
    this.surroundings.setSolid(this.clip?.grounded ?? this.solid);
    this.obstacles.set(balls);
    this.gather('stay');
  }

  /** The ball in a person's hand; null: there is none. */
  setTool(tool: ToolState | null): void {
    this.tool.set(tool);
  }

  /** Whether that is at a point of the canvas, or within `reach` CSS pixels of it. */
  isToolAt(x: number, y: number, reach: number): boolean {
    const { view, size } = this.turntable;
    const { origin, direction } = viewRay(view, size, x, y);
    return this.tool.meets(origin, direction, reach * pixelLength(view, size, this.turntable.centre));
  }

  /** The one that stands out; null: none. */
  selectHandle(id: number | null): void {
    this.handles.select(id);
  }

  setOverlays(id: number, overlays: Overlays): void {
    this.bodies.get(id)?.setOverlays(overlays);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const palette = palettes[theme];
    this.surroundings.setPalette(palette);
    this.pulls.setColor(palette.pull);
    this.handles.setColor(palette.pull);
    this.tool.setColor(palette.pull);
    this.contacts.setColor(palette.fixed);
    for (const body of this.bodies.values()) body.setPalette(palette);
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
    for (const body of this.bodies.values()) body.setPixelRatio(ratio);
  }

  /** One frame. */
  render(): void {
    const { renderer } = this;
    if (renderer.getContext().isContextLost()) return;
    this.restored = false;
    this.moveCamera();
    this.pulls.update(this.turntable);
    this.handles.update(this.turntable);
    this.contacts.update(this.turntable);
    this.tool.update(this.turntable);
    const moved = [...this.bodies.values()].filter((body) => body.update(renderer)).length > 0;
    this.surroundings.updateShadows(renderer, moved || this.clipMoved, this.lastTime);
    this.clipMoved = false;
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

  /** Of the surface of a body at the present q, computed on the CPU. O(r). */
  vertexPosition(id: number, vertex: number): Vector3 {
    return this.bodies.get(id)?.vertexPosition(vertex) ?? [0, 0, 0];
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

  /** All bodies in view, as at first, wherever they are. */
  frame(): void {
    this.turntable.frame();
  }

  dispose(): void {
    this.canvas.removeEventListener('webglcontextlost', this.lose);
    this.canvas.removeEventListener('webglcontextrestored', this.restore);
    this.lose();
    this.setClip(null);
    for (const item of [
      this.surroundings,
      this.pulls,
      this.handles,
      this.contacts,
      this.obstacles,
      this.tool,
      this.renderer,
    ])
      item.dispose();
  }

  private readonly lose = (): void => {
    this.surroundings.setBodies([]);
    for (const body of this.bodies.values()) body.lose();
  };

  /** three has made a new context. */
  private readonly restore = (): void => {
    for (const body of this.bodies.values()) body.restore();
    this.showShadows();
    this.restored = true;
  };

  /** There are other bodies than before; how: the camera comes to show all of them. */
  private gather(how: 'jump' | 'move' | 'stay'): void {
    this.showShadows();
    const clouds = [...this.bodies.values()].map(({ cloud }) => cloud);
    if (this.clip) clouds.push(this.clip.cloud);
    if (clouds.length === 0) return;
    this.turntable.setPoints([...clouds, ...this.obstacles.clouds], how);
    this.place();
  }

  private showShadows(): void {
    this.surroundings.setBodies([...this.bodies.values()].flatMap(({ drawn }) => drawn ?? []));
  }

  /** Ground and lights about the bodies. */
  private place(): void {
    const clouds = [...this.bodies.values()].map(({ rest }) => rest);
    this.surroundings.place(this.turntable, this.clip ? [...clouds, this.clip.cloud] : clouds);
  }

  private moveCamera(): void {
    const now = performance.now();
    // A pause between frames is no time that the camera moved in.
    this.turntable.update(Math.min((now - this.lastTime) / 1000, 1 / 20));
    this.lastTime = now;
    placeCamera(this.camera, this.turntable);
    this.surroundings.follow(this.camera, this.turntable);
  }
}
