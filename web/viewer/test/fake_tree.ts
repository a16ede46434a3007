import type { SubtreeInertia, TreeInfo } from '../../runtime/src/types';
import type { ShownInfo, ShownSurface } from '../src/protocol';
import type { SimulatedTree } from '../src/simulated_body';
import { FakeBody } from './fake_body';

const treeInfo: TreeInfo = {
  name: 'oak',
  description: '',
  free: false,
  depth: 2,
  coordinateCount: 2,
  kinds: [
    { name: 'trunk', rank: 2 },
    { name: 'leaf', rank: 0 },
  ],
  domains: [
    { name: 'trunk', kind: 0, parent: -1, stiffness: 1 },
    { name: 'leaf 1', kind: 1, parent: 0, stiffness: 1 },
    { name: 'leaf 2', kind: 1, parent: 0, stiffness: 0.5 },
  ],
  vertexCount: 2,
  triangleCount: 0,
};

/** The bar of FakeBody as a tree of three domains: frames hold the positions of its two vertices. */
export class FakeTree extends FakeBody {
  override readonly info: ShownInfo = {
    ...new FakeBody().info,
    regions: [],
    warpable: false,
    elementCount: 0,
    tree: treeInfo,
  };
  override rank = 6;
  readonly factors = treeInfo.domains.map(({ stiffness }) => stiffness);
  inertia: SubtreeInertia = 'full';
  readonly tree: SimulatedTree = {
    reach: () => Float64Array.of(1, 1),
    setStiffness: (domain, factor) => {
      this.factors[domain] = factor;
      this.stiffness = 100 * factor;
    },
    stiffness: (domain) => this.factors[domain]!,
    setInertia: (inertia) => {
      this.inertia = inertia;
    },
  };

  override surface(): ShownSurface & ReturnType<FakeBody['surface']> {
    return { ...super.surface(), partDomains: new Uint32Array(0) };
  }

  override coordinates(into: Float32Array) {
    into.set([...this.position(0), ...this.position(1)]);
  }
}
