// Where a clip is while it plays: the points that it is framed by, and which of its objects is the ground.

import { Box3, type BufferAttribute, type InterleavedBufferAttribute, type Mesh, Vector3 } from 'three';

/** Times at which it is looked at. */
const sampleTimes = 32;
/** Vertices, each counted once and once more for each of its targets, that are computed at most: half a second. */
const budget = 4e6;
/** Of the box about what moves, by which it is widened: what stands further away is not framed. */
const surroundingShare = 0.25;

/** What of a clip is there when, as three has it. */
export interface Motion {
  readonly length: number;
  readonly meshes: readonly Mesh[];
  /** Of the computing, 1 for a clip that is looked at once. */
  readonly share: number;
  /** s */
  setTime(time: number): void;
}

export interface ClipPoints {
  /** 3 n, of all times together. */
  readonly positions: Float32Array;
  /** What stands for the ground of the scene, in place of which another one is drawn; null: nothing. */
  readonly ground: Mesh | null;
}

/** Directions of a cube's faces and corners: what lies furthest that way is looked at in any case. */
const directions = [-1, 0, 1]
  .flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => new Vector3(x, y, z))))
  .filter((d) => [1, 3].includes(d.lengthSq()));

type Positions = BufferAttribute | InterleavedBufferAttribute;

/** Every n-th vertex of a mesh, and those that lie furthest. */
export function chosenVertices(positions: Positions, every: number): number[] {
  const chosen = new Set<number>();
  const extremes = directions.map(() => ({ vertex: 0, reach: -Infinity }));
  const point = new Vector3();
  for (let vertex = 0; vertex < positions.count; ++vertex) {
    if (vertex % every === 0) chosen.add(vertex);
    if (every === 1) continue;
    point.fromBufferAttribute(positions, vertex);
    directions.forEach((direction, i) => {
      const reach = direction.dot(point);
      if (reach > extremes[i]!.reach) extremes[i] = { vertex, reach };
    });
  }
  if (every > 1 && positions.count > 0) for (const { vertex } of extremes) chosen.add(vertex);
  return [...chosen];
}

/** Of a mesh at all sampled times. */
interface Track {
  readonly mesh: Mesh;
  readonly vertices: readonly number[];
  readonly points: Vector3[];
  moves: boolean;
}

function makeTracks({ meshes, share }: Motion): Track[] {
  const costs = meshes.map(({ geometry, morphTargetInfluences }) => {
    return geometry.getAttribute('position').count * (1 + (morphTargetInfluences?.length ?? 0));
  });
  const total = sampleTimes * costs.reduce((sum, cost) => sum + cost, 0);
  const every = Math.max(1, Math.ceil(total / (share * budget)));
  return meshes.map((mesh) => ({
    mesh,
    vertices: chosenVertices(mesh.geometry.getAttribute('position'), every),
    points: [],
    moves: false,
  }));
}

/** Adds where the vertices are now, but where they have not moved since the first time. */
function addPoints(track: Track): void {
  const { mesh, vertices, points } = track;
  const now = vertices.map((vertex) =>
    mesh.getVertexPosition(vertex, new Vector3()).applyMatrix4(mesh.matrixWorld),
  );
  const first = points.length === 0;
  if (!first && !track.moves) track.moves = now.some((point, i) => !point.equals(points[i]!));
  if (first || track.moves) for (const point of now) points.push(point); // which may be more than a call takes
}

/** Four corners of a level square, as limber draws a half-space. */
function isLevelSquare({ mesh, points, moves }: Track): boolean {
  if (moves || mesh.geometry.getAttribute('position').count !== 4) return false;
  const size = new Box3().setFromPoints(points).getSize(new Vector3());
  return size.y <= 1e-5 * size.x && Math.abs(size.x - size.z) <= 1e-3 * size.x;
}

/** Throws where something of it is at no place. ours: limber wrote it. */
export function clipPoints(motion: Motion, ours: boolean): ClipPoints {
  const tracks = makeTracks(motion);
  const times = motion.length > 0 ? sampleTimes : 1;
  for (let i = 0; i < times; ++i) {
    motion.setTime((motion.length * i) / Math.max(times - 1, 1));
    tracks.forEach(addPoints);
  }
  const finite = (point: Vector3): boolean => Number.isFinite(point.x + point.y + point.z);
  if (!tracks.every(({ points }) => points.every(finite)))
    throw new Error('it has places that are not finite');

  const ground = ours ? (tracks.find(isLevelSquare) ?? null) : null;
  const shown = tracks.filter((track) => track !== ground);
  const moving = shown.filter(({ moves }) => moves);
  const box = new Box3().setFromPoints((moving.length > 0 ? moving : shown).flatMap(({ points }) => points));
  if (box.isEmpty()) throw new Error('there is nothing in it to show');
  const near = box.clone().expandByScalar(surroundingShare * box.getSize(new Vector3()).length());
  const framed = shown.flatMap(({ points, moves }) =>
    moves ? points : points.filter((point) => near.containsPoint(point)),
  );
  if (ground) framed.push(box.getCenter(new Vector3()).setY(ground.points[0]!.y));
  return {
    positions: new Float32Array(framed.flatMap((point) => point.toArray())),
    ground: ground?.mesh ?? null,
  };
}
