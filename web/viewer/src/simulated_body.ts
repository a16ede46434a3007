import type {
  BodyState,
  Damping,
  Handle,
  HandleReport,
  Method,
  Pick,
  Pull,
  Quaternion,
  RootState,
  SimulationMesh,
  StepOptions,
  SubtreeInertia,
  Vector3,
} from '../../runtime/src/types';
import type { HandlePriority, ShownInfo, ShownSurface } from './protocol';

/** What trees of domains have in addition. */
export interface SimulatedTree {
  /** m by which the farthest vertex of its domain moves per unit of each coordinate. */
  reach(): Float64Array;
  setStiffness(domain: number, factor: number): void;
  stiffness(domain: number): number;
  setInertia(inertia: SubtreeInertia): void;
}

/** What the simulation needs of a body of the runtime, whose functions throw LimberError and leave the body as it was then. */
export interface SimulatedBody {
  readonly info: ShownInfo;
  /** Numbers that `coordinates` writes. */
  readonly rank: number;
  /** root: of a tree that nothing holds. */
  readonly state: BodyState & { readonly root?: RootState | null };
  /** Of trees of domains only. */
  readonly tree?: SimulatedTree;
  readonly energy: { readonly elastic: number; readonly kinetic: number };
  surface(): ShownSurface;
  simulationMesh(): SimulationMesh | null;
  setRank(rank: number): void;
  setMaterial(region: number, change: { readonly young?: number }): void;
  setDamping(damping: Damping): void;
  setGravity(gravity: Vector3): void;
  /** Drops pulls and handles. */
  setMethod(method: Method): void;
  step(h: number, count?: number, options?: StepOptions): void;
  reset(): void;
  setState(q: Float64Array, v: Float64Array, root?: RootState | null): void;
  coordinates(into: Float32Array): void;
  position(vertex: number): Vector3;
  orientation(vertex: number): Quaternion;
  /** Of all methods but 'warped'. */
  setPulls(pulls: readonly Pull[]): void;
  pullForce(index: number): Vector3;
  stiffnessAt(vertex: number): number;
  /** Of the method 'warped' only. */
  setHandles(handles: readonly Handle[], priority: HandlePriority): void;
  readonly handleReport: HandleReport;
  pick(origin: Vector3, direction: Vector3): Pick | null;
  frequencies(): Float64Array;
  modeShape(index: number): Float64Array;
  dispose(): void;
}
