// The overlays that a person asks for, and what is shown of them.

import type { SimulationClient } from '../client';
import type { Stage } from '../stage/stage';
import { shownOverlays, whyNoOverlay } from './body_sections';
import { MeshOnDemand } from './simulation_mesh';
import type { Overlay, BodyState } from './state';

/** Where an overlay cannot be shown, or not now. */
export interface OverlayEvents {
  notify(reason: string): void;
  fail(error: unknown): void;
  /** The picture is another one. */
  changed(): void;
}

export class OverlayControl {
  private readonly mesh_: MeshOnDemand;

  constructor(
    client: SimulationClient,
    private readonly stage_: Stage,
    private readonly state_: BodyState,
    private readonly events_: OverlayEvents,
  ) {
    this.mesh_ = new MeshOnDemand(
      () => client.simulationMesh(state_.id),
      (mesh) => {
        stage_.setSimulationMesh(state_.id, mesh);
        events_.changed();
      },
      (error) => {
        events_.fail(error);
      },
    );
  }

  set(overlay: Overlay, shown: boolean): void {
    const { info, settings } = this.state_;
    if (!info) return;
    const reason = whyNoOverlay(overlay, info, settings.method);
    if (shown && reason) this.events_.notify(reason);
    this.state_.overlays = { ...this.state_.overlays, [overlay]: shown && reason === null };
    if (shown && reason === null) this.mesh_.want();
    this.refresh();
  }

  /** The method may be another one. */
  refresh(): void {
    this.stage_.setOverlays(this.state_.id, shownOverlays(this.state_));
    this.events_.changed();
  }
}
