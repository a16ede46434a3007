// A tree of domains as the simulation sees bodies: what of a body it does not have says so.

import type { Tree } from '../../runtime/src/index';
import type { Damping, Pull, Quaternion, RootState, StepOptions, Vector3 } from '../../runtime/src/types';
import type { ShownInfo, ShownSurface } from './protocol';
import type { SimulatedBody } from './simulated_body';

export class TreeBody implements SimulatedBody {
  readonly info: ShownInfo;
  readonly handleReport = { met: true, positionError: 0, orientationError: 0 };
  private lowest: number | null = null;

  constructor(readonly tree: Tree) {
    const { name, description, coordinateCount, vertexCount, triangleCount } = tree.info;
    this.info = {
      name,
      description,
      rank: coordinateCount,
      regions: [],
      vertexCount,
      triangleCount,
      exact: true,
      cubaturePoints: 0,
      elementCount: 0,
      fixedCount: 0,
      warpable: false,
      tree: tree.info,
    };
  }

  /** Positions of all vertices are what is drawn: 3 n numbers. */
  get rank() {
    return 3 * this.info.vertexCount;
  }

  get state() {
    return this.tree.state;
  }

  get energy() {
    return this.tree.energy;
  }

  surface(): ShownSurface {
    return domainSurface(this.tree.surface());
  }

  simulationMesh() {
    return null;
  }

  setRank(): never {
    throw new Error('The rank is of single bodies only, not of trees of domains.');
  }

  setMaterial(): never {
    throw new Error('Materials are of single bodies only; a domain has a stiffness.');
  }

  setDamping(damping: Damping) {
    this.tree.setDamping(damping);
  }

  setGravity(gravity: Vector3) {
    this.tree.setGravity(gravity);
  }

  setMethod(): never {
    throw new Error('Trees of domains have one kind of motion.');
  }

  step(h: number, count?: number, options?: StepOptions) {
    this.tree.step(h, count, options);
  }

  reset() {
    this.tree.reset();
  }

  setState(q: Float64Array, v: Float64Array, root?: RootState | null) {
    this.tree.setState(q, v, root);
  }

  coordinates(into: Float32Array) {
    this.tree.positionsInto(into);
  }

  position(vertex: number) {
    return this.tree.position(vertex);
  }

  orientation(): Quaternion {
    return [0, 0, 0, 1];
  }

  setPulls(pulls: readonly Pull[]) {
    this.tree.setPulls(pulls);
  }

  pullForce(index: number) {
    return this.tree.pullForce(index);
  }

  stiffnessAt(vertex: number) {
    return this.tree.stiffnessAt(vertex);
  }

  setHandles(handles: readonly unknown[]) {
    if (handles.length > 0) throw new Error('Handles are of single bodies only, not of trees of domains.');
  }

  pick(origin: Vector3, direction: Vector3) {
    return this.tree.pick(origin, direction);
  }

  /** Hz: the lowest alone, as the file has it. */
  frequencies() {
    this.lowest ??= this.tree.lowestFrequency();
    return Float64Array.of(this.lowest);
  }

  modeShape(): never {
    throw new Error('Vibrations are of single bodies only, not of trees of domains.');
  }

  dispose() {
    this.tree.dispose();
  }
}

/** The surface with a part for each domain and part in it, so that domains can have colours of their own. */
export function domainSurface(surface: ReturnType<Tree['surface']>): ShownSurface {
  const { positions, triangles, parts, triangleParts, triangleDomains } = surface;
  const numbers = new Map<number, number>();
  const shown: ShownSurface['parts'][number][] = [];
  const domains: number[] = [];
  const split = triangleParts.map((part, triangle) => {
    const domain = triangleDomains[triangle]!;
    const key = domain * parts.length + part;
    let number = numbers.get(key);
    if (number === undefined) {
      number = shown.length;
      numbers.set(key, number);
      shown.push(parts[part]!);
      domains.push(domain);
    }
    return number;
  });
  return {
    positions,
    triangles,
    triangleParts: split,
    parts: shown,
    basis: new Float32Array(0),
    rotations: null,
    partDomains: Uint32Array.from(domains),
  };
}
