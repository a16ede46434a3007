import type { StepOptions } from '../../runtime/src/types';
import type { BodyScale } from './body_scale';
import type { RuntimeBody } from './runtime_body';

const fast: StepOptions = { iterations: 1 };
/** Without the stiffness: of a cubature with so many coordinates forming it costs twice as much as solving without. */
const matrixFree: StepOptions = { iterations: 1, solver: 'cg' };
const matrixFreeRank = 24;
const exact: StepOptions = { iterations: 12 };
/** A step that failed is taken again in so many parts, exactly. */
export const parts = 16;
/** Why a body could not go on. */
export const unsolved = 'A time step could not be solved';
/** Displacements beyond so many times the sizes of body and loads come from no load: only a simulation that has failed. */
const absurd = 100;

/** What came of some steps: so many were taken; or none can be taken from here, and why. */
export type Outcome = { readonly taken: number } | { readonly lost: string };

/** What acts on a body. */
export interface Loads {
  /** m: as far as they may have brought the body. */
  readonly reach: number;
  /** Whether what holds the body moves. */
  readonly support: boolean;
}

/** Takes steps, and sees to it that the body stays where loads can have brought it. */
export class SafeStepper {
  /** Where the body is after the last steps; null: it may have been moved otherwise. */
  private reached: RuntimeBody['state'] | null = null;

  constructor(
    private readonly body: RuntimeBody,
    private readonly scale: BodyScale,
  ) {}

  /** Of the body, s. */
  get time(): number {
    this.reached ??= this.body.state;
    return this.reached.time;
  }

  /** To be called after any change of the state or the rank but by steps. */
  forget(): void {
    this.reached = null;
  }

  /**
   * Takes `count` steps of h seconds. Where that fails, goes back and takes the first of them again, exactly and in parts.
   * Throws where the body cannot even be put back: then rest is all that is left to it.
   */
  advance(h: number, count: number, accuracy: 'fast' | 'exact', loads: Loads): Outcome {
    const goBack = this.remember();
    if (this.attempt(h, count, this.options(accuracy, loads), loads) === null) return { taken: count };
    goBack();
    const failure = this.attempt(h / parts, parts, exact, loads);
    return failure === null ? { taken: 1 } : { lost: failure };
  }

  /** How the body is, to go back to: what is returned throws where it cannot. */
  remember(): () => void {
    const before = this.body.save(); // with what steps have learned of each other, which q and v do not hold
    return () => {
      this.body.restore(before);
      this.reached = null;
    };
  }

  /** After steps that others took of the body: why it cannot go on from where it is; null: it can. */
  check({ reach }: Pick<Loads, 'reach'>): string | null {
    this.reached = null;
    const state = this.body.state;
    const displacement = this.scale.displacement(state.q);
    if (!Number.isFinite(state.elasticEnergy + state.kineticEnergy + displacement)) {
      return 'The motion ran out of bounds';
    }
    if (displacement > absurd * (this.scale.size + reach)) {
      return 'The motion grew beyond what the loads can do';
    }
    this.reached = state;
    return null;
  }

  private options(accuracy: 'fast' | 'exact', { support }: Loads): StepOptions {
    if (accuracy === 'exact') return exact;
    const { exact: polynomial, free, domains } = this.body.info;
    const frames = free || support || domains.length > 1; // whose steps are solved directly
    const reduced = this.body.method === 'reduced'; // modes of others are solved for one by one
    return reduced && !polynomial && !frames && this.body.rank() >= matrixFreeRank ? matrixFree : fast;
  }

  /** What went wrong, null for nothing. */
  private attempt(h: number, count: number, options: StepOptions, loads: Loads): string | null {
    this.reached = null;
    try {
      this.body.step(h, count, options);
    } catch {
      return unsolved;
    }
    return this.check(loads);
  }
}
