// A body on the stage: its surface, what it was computed with, and where both are.

import { Matrix4, Quaternion, Vector3 as Vector, type Group, type WebGLRenderer } from 'three';
import type { SimulationMesh, Surface, Vector3 } from '../../../runtime/src/types';
import { Body } from './body';
import type { DisplacedSurface, RimUniforms } from './displaced_surface';
import { type DomainSurface, type DomainView, partColors, splitByDomain } from './domain_colors';
import type { Quality } from './quality';
import { type Overlays, SimulationOverlay } from './simulation_overlay';
import { displacedVertex } from './surface_points';
import type { TextureLimits } from './texture_layout';
import type { Palette } from './theme';
import type { Cloud } from './turntable';

/** What all bodies on a stage are drawn with. */
export interface DrawnWith {
  readonly group: Group;
  readonly limits: TextureLimits;
  readonly rim: RimUniforms;
  palette(): Palette;
  quality(): Quality;
  pixelRatio(): number;
}

export class DrawnBody {
  /** Its points at rest, where it was put, and where it is now but for what it is deformed. */
  readonly rest: Cloud;
  readonly cloud: Cloud;
  private readonly surface: DomainSurface;
  private readonly place: Vector;
  private body: Body | null = null;
  private mesh: SimulationMesh | null = null;
  private simulation: SimulationOverlay | null = null;
  private overlays: Overlays = { mesh: false, cubature: false, fixed: false };
  private domains: DomainView = { colored: false, selected: null };
  private q = new Float32Array(0);
  private warped = false;
  private readonly pose: Matrix4;

  /** place: m from where it was made. Throws where it is too large for the graphics device. */
  constructor(
    surface: Surface,
    place: Vector3,
    private readonly drawnWith: DrawnWith,
  ) {
    this.surface = splitByDomain(surface);
    this.place = new Vector(...place);
    this.rest = { positions: surface.positions, offset: this.place };
    this.cloud = { positions: surface.positions, offset: this.place.clone() };
    this.pose = new Matrix4().makeTranslation(this.place);
    this.build();
  }

  /** null after the graphics device was lost. */
  get drawn(): DisplacedSurface | null {
    return this.body?.surface ?? null;
  }

  /** As Stage.setCoordinates. */
  setCoordinates(q: Float32Array, warped: boolean, pose: readonly number[]): void {
    const moved = poseMatrix(pose);
    const same = this.q.length === q.length && q.every((value, i) => value === this.q[i]);
    if (same && warped === this.warped && moved.equals(this.pose)) return;
    if (this.q.length !== q.length) this.q = new Float32Array(q.length);
    this.q.set(q);
    this.warped = warped;
    this.pose.copy(moved);
    this.move();
    this.simulation?.setCoordinates(q, moved);
  }

  /** shift: m by which it has flown. */
  setShift(shift: Vector3): void {
    this.cloud.offset.set(...shift).add(this.place);
  }

  setDomains(view: DomainView): void {
    this.domains = view;
    this.body?.surface.setColors(partColors(this.surface, view));
  }

  setSimulationMesh(mesh: SimulationMesh | null): void {
    this.removeSimulation();
    this.mesh = mesh;
    if (mesh) {
      const { limits, rim, group } = this.drawnWith;
      this.simulation = new SimulationOverlay(limits, mesh, rim);
      this.simulation.setPalette(this.drawnWith.palette());
      this.simulation.setCoordinates(this.q, this.pose);
      group.add(this.simulation.group);
    }
    this.setOverlays(this.overlays);
  }

  setOverlays(overlays: Overlays): void {
    this.overlays = overlays;
    this.simulation?.setOverlays(overlays);
    this.simulation?.setPixelRatio(this.drawnWith.pixelRatio());
    this.body?.setTranslucent(this.simulation !== null && (overlays.mesh || overlays.cubature));
  }

  setPalette(palette: Palette): void {
    this.simulation?.setPalette(palette);
  }

  setQuality(quality: Quality): void {
    this.body?.setQuality(quality);
  }

  setPixelRatio(ratio: number): void {
    this.simulation?.setPixelRatio(ratio);
  }

  /** Of the surface at the present q, computed on the CPU. O(r). */
  vertexPosition(vertex: number): Vector3 {
    const x = this.q.length > 0 ? this.q : this.surface.positions;
    const point: Vector3 =
      this.surface.basis.length > 0
        ? displacedVertex(this.surface, this.q, vertex, this.warped)
        : [x[3 * vertex]!, x[3 * vertex + 1]!, x[3 * vertex + 2]!];
    return new Vector(...point).applyMatrix4(this.pose).toArray();
  }

  /** Computes what has changed, and says whether the body has moved. Leaves the renderer with another target. */
  update(renderer: WebGLRenderer): boolean {
    const moved = this.body?.surface.update(renderer) ?? false;
    if (this.simulation?.shown) this.simulation.update(renderer);
    return moved;
  }

  /** Objects of a lost context go with it: freed later they would be unknown to the new one. */
  lose(): void {
    this.removeSimulation();
    this.body?.dispose();
    this.body = null;
  }

  /** There is a new context. What was let go after its upload is made again. */
  restore(): void {
    this.lose();
    this.build();
    this.setSimulationMesh(this.mesh);
  }

  private build(): void {
    const { group, limits, rim } = this.drawnWith;
    this.body = new Body(group, limits, this.surface, rim);
    this.body.setQuality(this.drawnWith.quality());
    this.setDomains(this.domains);
    this.move();
    this.setOverlays(this.overlays);
  }

  private move(): void {
    const field = this.body?.surface.field;
    const positions = this.surface.basis.length === 0;
    if (positions && this.q.length > 0) field?.setPositions(this.q);
    field?.setCoordinates(positions ? new Float32Array(0) : this.q, this.warped, this.pose);
  }

  private removeSimulation(): void {
    if (!this.simulation) return;
    this.drawnWith.group.remove(this.simulation.group);
    this.simulation.dispose();
    this.simulation = null;
  }
}

/** Of a pose as in Frame. */
function poseMatrix([x = 0, y = 0, z = 0, i = 0, j = 0, k = 0, w = 1]: readonly number[]): Matrix4 {
  return new Matrix4().compose(new Vector(x, y, z), new Quaternion(i, j, k, w), new Vector(1, 1, 1));
}
