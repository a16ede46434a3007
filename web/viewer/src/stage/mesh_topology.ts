// Edges and solids of the simulation mesh, for its overlays.

import type { SimulationMesh } from '../../../runtime/src/types';

type Lists = readonly (readonly number[])[];

// Local numbers as in VTK; faces are counter-clockwise seen from outside.
const edgesOf: Record<SimulationMesh['element'], Lists> = {
  tetrahedron: [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], // prettier-ignore
  brick: [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]], // prettier-ignore
};
const facesOf: Record<SimulationMesh['element'], Lists> = {
  tetrahedron: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], // prettier-ignore
  brick: [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]], // prettier-ignore
};

export function elementSize(mesh: SimulationMesh): number {
  return mesh.element === 'brick' ? 8 : 4;
}

/** Each edge once, as pairs of vertices, from cells of `size` vertices with these local edges. O(cells). */
function uniqueEdges(cells: Uint32Array, size: number, local: Lists, vertices: number): Uint32Array {
  // Edges by their lower vertex, then each upper one once.
  const first = new Uint32Array(vertices + 1);
  const visit = (take: (low: number, high: number) => void) => {
    for (let cell = 0; cell + size <= cells.length; cell += size) {
      for (const [i, j] of local) {
        const [a, b] = [cells[cell + i!]!, cells[cell + j!]!];
        if (a < b) take(a, b);
        else take(b, a);
      }
    }
  };
  visit((low) => ++first[low + 1]!);
  for (let v = 0; v < vertices; ++v) first[v + 1]! += first[v]!;
  const next = first.slice(0, vertices);
  const uppers = new Uint32Array(first[vertices]!);
  visit((low, high) => (uppers[next[low]!++] = high));
  const seenFrom = new Int32Array(vertices).fill(-1);
  const edges = new Uint32Array(2 * uppers.length);
  let length = 0;
  for (let v = 0; v < vertices; ++v) {
    for (let k = first[v]!; k < first[v + 1]!; ++k) {
      const upper = uppers[k]!;
      if (seenFrom[upper] === v) continue;
      seenFrom[upper] = v;
      edges[length++] = v;
      edges[length++] = upper;
    }
  }
  return edges.slice(0, length);
}

/** Faces of one element only, 3 or 4 vertices each. O(elements). */
export function boundaryFaces(mesh: SimulationMesh): Uint32Array {
  const size = elementSize(mesh);
  const faces = facesOf[mesh.element];
  const vertices = mesh.positions.length / 3;
  // Two faces are the same where their three lowest vertices are. By the lowest: the other two make a number below 2^53.
  const seen: (Map<number, number> | undefined)[] = []; // to 1 + 6 element + face, or 0 where two elements share it
  for (let cell = 0; cell + size <= mesh.elements.length; cell += size) {
    faces.forEach((face, index) => {
      const [low, middle, high] = face.map((i) => mesh.elements[cell + i]!).sort((a, b) => a - b);
      const key = middle! * vertices + high!;
      const others = (seen[low!] ??= new Map<number, number>());
      others.set(key, others.has(key) ? 0 : 1 + 6 * (cell / size) + index);
    });
  }
  const boundary: number[] = [];
  for (const others of seen) {
    for (const code of others?.values() ?? []) {
      if (code === 0) continue;
      const [cell, face] = [Math.floor((code - 1) / 6), faces[(code - 1) % 6]!];
      for (const i of face) boundary.push(mesh.elements[size * cell + i]!);
    }
  }
  return Uint32Array.from(boundary);
}

/** Edges of all elements, or of the boundary alone where there would be more than `limit`: pairs of vertices. */
export function meshEdges(mesh: SimulationMesh, limit = 300_000): Uint32Array {
  const vertices = mesh.positions.length / 3;
  const all = uniqueEdges(mesh.elements, elementSize(mesh), edgesOf[mesh.element], vertices);
  if (all.length <= 2 * limit) return all;
  const size = mesh.element === 'brick' ? 4 : 3;
  const around = Array.from({ length: size }, (_, i) => [i, (i + 1) % size]);
  return uniqueEdges(boundaryFaces(mesh), size, around, vertices);
}

/** Elements drawn as solids: vertices of their own, displaced like a surface. */
export interface Solids {
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
  readonly triangleParts: Uint32Array;
  readonly basis: Float32Array;
}

/** The given elements, shrunk about their centres by a factor. The map is linear, so that positions and each column of the
 *  basis go through it alike. */
export function elementSolids(mesh: SimulationMesh, elements: Uint32Array, scale: number): Solids {
  const size = elementSize(mesh);
  const length = mesh.positions.length;
  const columns = length > 0 ? Math.floor(mesh.basis.length / length) : 0;
  const count = 3 * size * elements.length;
  const shrink = (field: Float32Array, solids: Float32Array) => {
    elements.forEach((element, index) => {
      for (let axis = 0; axis < 3; ++axis) {
        const value = (i: number) => field[3 * mesh.elements[size * element + i]! + axis]!;
        let centre = 0;
        for (let i = 0; i < size; ++i) centre += value(i) / size;
        for (let i = 0; i < size; ++i) {
          solids[3 * (size * index + i) + axis] = centre + scale * (value(i) - centre);
        }
      }
    });
  };
  const positions = new Float32Array(count);
  shrink(mesh.positions, positions);
  const basis = new Float32Array(count * columns);
  for (let c = 0; c < columns; ++c) {
    shrink(mesh.basis.subarray(c * length, (c + 1) * length), basis.subarray(c * count, (c + 1) * count));
  }
  const triangles: number[] = [];
  for (let index = 0; index < elements.length; ++index) {
    for (const [a, b, c, d] of facesOf[mesh.element]) {
      const corner = (i: number) => size * index + i;
      triangles.push(corner(a!), corner(b!), corner(c!));
      if (d !== undefined) triangles.push(corner(a!), corner(c!), corner(d));
    }
  }
  const triangleParts = new Uint32Array(triangles.length / 3);
  return { positions, triangles: Uint32Array.from(triangles), triangleParts, basis };
}
