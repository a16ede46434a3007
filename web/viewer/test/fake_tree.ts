import { FakeBody } from './fake_body';

/** The bar of FakeBody as a tree of three domains, with a surface that has no basis: frames hold the positions of its two vertices. */
export class FakeTree extends FakeBody {
  override factors = [1, 1, 0.5];

  constructor() {
    super();
    const [trunk] = this.info.parts;
    Object.assign(this.info, {
      name: 'oak',
      depth: 2,
      warpable: false,
      parts: [
        { ...trunk, name: 'trunk' },
        { name: 'leaf', rank: 0, regions: [] },
      ],
      domains: [
        { name: 'trunk', part: 0, parent: -1, stiffness: 1 },
        { name: 'leaf 1', part: 1, parent: 0, stiffness: 1 },
        { name: 'leaf 2', part: 1, parent: 0, stiffness: 0.5 },
      ],
    });
  }

  override surface() {
    return { ...super.surface(), basis: new Float32Array(0), rotations: null };
  }
}
