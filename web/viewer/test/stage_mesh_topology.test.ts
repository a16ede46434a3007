import { describe, expect, it } from 'vitest';
import type { SimulationMesh } from '../../runtime/src/types';
import { boundaryFaces, elementSolids, meshEdges } from '../src/stage/mesh_topology';

function meshOf(element: SimulationMesh['element'], positions: number[], elements: number[]): SimulationMesh {
  const rest = Float32Array.from(positions);
  const none = new Uint32Array(0);
  const basis = Float32Array.from([...rest.map((x) => 2 * x), ...rest.map((x) => x + 1)]);
  return {
    element,
    positions: rest,
    elements: Uint32Array.from(elements),
    fixed: none,
    cubatureElements: none,
    basis,
  };
}

/** Two tetrahedra that share the face 1, 2, 3. */
const pair = meshOf('tetrahedron', [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 1, 2, 3, 4]);

/** Unit bricks in a row along x. */
function bricks(count: number): SimulationMesh {
  const positions = Array.from({ length: count + 1 }, (_, x) => [x, 0, 0, x, 1, 0, x, 1, 1, x, 0, 1]).flat();
  const elements = Array.from({ length: count }, (_, i) => {
    const [a, b] = [4 * i, 4 * i + 4];
    return [a, b, b + 1, a + 1, a + 3, b + 3, b + 2, a + 2];
  }).flat();
  return meshOf('brick', positions, elements);
}

function edgeNames(edges: Uint32Array): string[] {
  const names = Array.from({ length: edges.length / 2 }, (_, i) => `${edges[2 * i]!}-${edges[2 * i + 1]!}`);
  return names.sort();
}

describe('meshEdges', () => {
  it('has each edge of two tetrahedra once', () => {
    expect(edgeNames(meshEdges(pair))).toEqual([
      '0-1',
      '0-2',
      '0-3',
      '1-2',
      '1-3',
      '1-4',
      '2-3',
      '2-4',
      '3-4',
    ]);
  });

  it('has 12 edges for a brick and 8 more for each neighbour', () => {
    expect(meshEdges(bricks(3)).length / 2).toBe(12 + 8 + 8);
  });

  it('falls back to the boundary where there are too many', () => {
    const mesh = bricks(3);
    expect(edgeNames(meshEdges(mesh, 5))).toEqual(edgeNames(meshEdges(mesh)));
    const [a, b, c, d, e] = [0, 1, 2, 3, 4];
    // A tetrahedron cut into four by a vertex inside: its edges are no edges of the boundary.
    const inside = meshOf('tetrahedron', pair.positions as unknown as number[], [a, b, c, e, a, c, d, e, a, d, b, e, b, d, c, e]); // prettier-ignore
    expect(edgeNames(meshEdges(inside, 3))).toEqual(['0-1', '0-2', '0-3', '1-2', '1-3', '2-3']);
  });
});

describe('boundaryFaces', () => {
  it('leaves out the face that two tetrahedra share', () => {
    const faces = boundaryFaces(pair);
    const names = Array.from({ length: faces.length / 3 }, (_, i) => Array.from(faces.slice(3 * i, 3 * i + 3)).sort().join('')); // prettier-ignore
    expect(names.sort()).toEqual(['012', '013', '023', '124', '134', '234']);
  });

  it('has 6 faces for a brick and 4 more for each neighbour', () => {
    expect(boundaryFaces(bricks(3)).length / 4).toBe(6 + 4 + 4);
  });
});

describe('elementSolids', () => {
  it('shrinks an element about its centre', () => {
    const { positions } = elementSolids(bricks(2), Uint32Array.of(1), 0.5);
    const xs = Array.from({ length: 8 }, (_, i) => positions[3 * i]!);
    expect(Math.min(...xs)).toBeCloseTo(1.25, 6);
    expect(Math.max(...xs)).toBeCloseTo(1.75, 6);
  });

  it('moves with the mesh: every column of the basis is shrunk alike', () => {
    const { positions, basis } = elementSolids(pair, Uint32Array.of(1), 0.7);
    expect(basis.length).toBe(2 * positions.length);
    positions.forEach((x, i) => {
      expect(basis[i]).toBeCloseTo(2 * x, 6);
      expect(basis[positions.length + i]).toBeCloseTo(x + 1, 6);
    });
  });

  it.each([pair, bricks(1)])('makes closed solids of the right volume ($element)', (mesh) => {
    const { positions, triangles } = elementSolids(mesh, Uint32Array.of(0), 1);
    let volume = 0;
    const at = (v: number) => [0, 1, 2].map((i) => positions[3 * v + i]!) as [number, number, number];
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [at(triangles[t]!), at(triangles[t + 1]!), at(triangles[t + 2]!)];
      const cross = [0, 1, 2].map(
        (i) => b[(i + 1) % 3]! * c[(i + 2) % 3]! - b[(i + 2) % 3]! * c[(i + 1) % 3]!,
      );
      volume += (a[0] * cross[0]! + a[1] * cross[1]! + a[2] * cross[2]!) / 6;
    }
    expect(volume).toBeCloseTo(mesh.element === 'brick' ? 1 : 1 / 6, 6);
  });
});
