// The simulation mesh is large, and few look at it: it is fetched once per model, when somebody first does.

import type { SimulationMesh } from '../../../runtime/src/types';

export class MeshOnDemand {
  private asked_ = false;
  /** Counts models, so that an answer about an old one is known. */
  private generation_ = 0;

  constructor(
    private readonly fetch_: () => Promise<SimulationMesh | null>,
    private readonly show_: (mesh: SimulationMesh | null) => void,
    private readonly fail_: (error: unknown) => void,
  ) {}

  /** There is another model, or none. */
  clear(): void {
    this.asked_ = false;
    ++this.generation_;
    this.show_(null);
  }

  /** Somebody looks. */
  want(): void {
    if (!this.asked_) void this.get_();
  }

  private async get_(): Promise<void> {
    this.asked_ = true;
    const generation = this.generation_;
    try {
      const mesh = await this.fetch_();
      if (generation === this.generation_) this.show_(mesh);
    } catch (error) {
      if (generation === this.generation_) this.fail_(error);
    }
  }
}
