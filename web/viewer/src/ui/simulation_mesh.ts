// The simulation mesh is large, and few look at it: it is fetched once per body, when somebody first does.

import type { SimulationMesh } from '../../../runtime/src/types';

export class MeshOnDemand {
  private asked_ = false;

  constructor(
    private readonly fetch_: () => Promise<SimulationMesh | null>,
    private readonly show_: (mesh: SimulationMesh | null) => void,
    private readonly fail_: (error: unknown) => void,
  ) {}

  /** Somebody looks. */
  want(): void {
    if (!this.asked_) void this.get_();
  }

  private async get_(): Promise<void> {
    this.asked_ = true;
    try {
      this.show_(await this.fetch_());
    } catch (error) {
      this.fail_(error);
    }
  }
}
