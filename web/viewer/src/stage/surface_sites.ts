// What the normals are computed from: which triangles meet at a vertex. A vertex on a sharp edge has several
// normals, and one between parts several colours, so the surface is drawn from sites: a site is a vertex with one normal
// and one part.

/** Dihedral angles above this one at rest are drawn as edges, below it as rounded: boxes keep their edges and coarse round
 *  shapes stay smooth. */
export const creaseAngle = (50 * Math.PI) / 180;

export interface SurfaceSites {
  /** 4 per site: vertex, its first pair, number of pairs, part. */
  readonly sites: Uint32Array;
  /** 2 per pair: the other two corners of a triangle at the vertex, in its order. The normal of a site is the sum of
   *  (a - v) x (b - v) over its pairs. */
  readonly pairs: Uint32Array;
  /** 3 t: sites of the corners, instead of vertices. */
  readonly triangles: Uint32Array;
}

interface SurfaceShape {
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
  readonly triangleParts: Uint32Array;
}

/** 3 t unit normals, zero for triangles without area. */
function triangleNormals({ positions, triangles }: SurfaceShape): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t]!, 3 * triangles[t + 1]!, 3 * triangles[t + 2]!];
    const [x, y, z] = [positions[a]!, positions[a + 1]!, positions[a + 2]!];
    const [px, py, pz] = [positions[b]! - x, positions[b + 1]! - y, positions[b + 2]! - z];
    const [qx, qy, qz] = [positions[c]! - x, positions[c + 1]! - y, positions[c + 2]! - z];
    const [nx, ny, nz] = [py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx];
    const length = Math.hypot(nx, ny, nz);
    if (length > 0) normals.set([nx / length, ny / length, nz / length], t);
  }
  return normals;
}

/** Corners 0 to 3 t - 1 by their vertices, in ascending order: those of v are corners[first[v]] to corners[first[v + 1] - 1]. */
function cornersOfVertices(triangles: Uint32Array, vertices: number) {
  const first = new Uint32Array(vertices + 1);
  for (const vertex of triangles) ++first[vertex + 1]!;
  for (let v = 0; v < vertices; ++v) first[v + 1]! += first[v]!;
  const next = first.slice(0, vertices);
  const corners = new Uint32Array(triangles.length);
  triangles.forEach((vertex, corner) => {
    corners[next[vertex]!++] = corner;
  });
  return { first, corners };
}

function root(parents: Uint32Array, corner: number): number {
  while (parents[corner] !== corner) {
    parents[corner] = parents[parents[corner]!]!;
    corner = parents[corner]!;
  }
  return corner;
}

/** For each corner the least one of those that share its normal: corners of a vertex whose triangles meet in edges that are
 *  not sharp. A triangle without area is never sharp. O(t). */
function smoothGroups(
  shape: SurfaceShape,
  first: Uint32Array,
  corners: Uint32Array,
  crease: number,
): Uint32Array {
  const { triangles } = shape;
  const normals = triangleNormals(shape);
  const cosine = Math.cos(crease);
  const smooth = (c: number, d: number) => {
    const [i, j] = [c - (c % 3), d - (d % 3)];
    const [x, y, z] = [
      normals[i]! * normals[j]!,
      normals[i + 1]! * normals[j + 1]!,
      normals[i + 2]! * normals[j + 2]!,
    ];
    const flat = (k: number) => normals[k] === 0 && normals[k + 1] === 0 && normals[k + 2] === 0;
    return x + y + z >= cosine || flat(i) || flat(j);
  };
  const parents = Uint32Array.from(triangles, (_, corner) => corner);
  const vertices = first.length - 1;
  const seenFrom = new Int32Array(vertices).fill(-1); // the last vertex v with an edge to this one,
  const seenBy = new Uint32Array(vertices); // and the corner at v that has it
  for (let v = 0; v < vertices; ++v) {
    for (let k = first[v]!; k < first[v + 1]!; ++k) {
      const corner = corners[k]!;
      const start = corner - (corner % 3);
      for (let side = 1; side < 3; ++side) {
        const other = triangles[start + ((corner - start + side) % 3)]!;
        if (seenFrom[other] === v && smooth(corner, seenBy[other]!)) {
          const [a, b] = [root(parents, corner), root(parents, seenBy[other]!)];
          parents[Math.max(a, b)] = Math.min(a, b);
        }
        seenFrom[other] = v;
        seenBy[other] = corner;
      }
    }
  }
  return parents.map((_, corner) => root(parents, corner));
}

/** Splits the vertices of a surface into sites. O(t), any valence. */
export function surfaceSites(shape: SurfaceShape, crease = creaseAngle): SurfaceSites {
  const { triangles, triangleParts } = shape;
  const vertices = shape.positions.length / 3;
  const { first, corners } = cornersOfVertices(triangles, vertices);
  const groups = smoothGroups(shape, first, corners, crease);
  const sites: number[] = [];
  const pairs = new Uint32Array(2 * triangles.length);
  const siteTriangles = new Uint32Array(triangles.length);
  let pair = 0;
  for (let v = 0; v < vertices; ++v) {
    const members = Array.from(corners.subarray(first[v], first[v + 1]));
    // By group, and by triangle within one: a stable sort.
    if (members.some((corner) => groups[corner] !== groups[members[0]!]))
      members.sort((a, b) => groups[a]! - groups[b]!);
    for (let begin = 0, end = 0; begin < members.length; begin = end) {
      while (end < members.length && groups[members[end]!] === groups[members[begin]!]) ++end;
      const siteOfPart = new Map<number, number>();
      const firstPair = pair;
      for (const corner of members.slice(begin, end)) {
        const start = corner - (corner % 3);
        pairs[2 * pair] = triangles[start + ((corner - start + 1) % 3)]!;
        pairs[2 * pair + 1] = triangles[start + ((corner - start + 2) % 3)]!;
        ++pair;
        const part = triangleParts[start / 3]!;
        let site = siteOfPart.get(part);
        if (site === undefined) {
          site = sites.length / 4;
          siteOfPart.set(part, site);
          sites.push(v, firstPair, end - begin, part);
        }
        siteTriangles[corner] = site;
      }
    }
  }
  return { sites: Uint32Array.from(sites), pairs, triangles: siteTriangles };
}
