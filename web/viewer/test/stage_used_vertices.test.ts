import { BufferAttribute, BufferGeometry, Mesh } from 'three';
import { describe, expect, it } from 'vitest';
import { chosenVertices } from '../src/stage/clip_points';
import { withUsedVertices } from '../src/stage/used_vertices';

/** A row of vertices, of which triangles use some. */
function row(count: number, triangles: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  const positions = Float32Array.from({ length: 3 * count }, (_, i) => (i % 3 === 0 ? i / 3 : 0));
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(triangles);
  const raised = Float32Array.from({ length: 3 * count }, (_, i) => (i % 3 === 1 ? (i - 1) / 3 : 0));
  geometry.morphAttributes.position = [new BufferAttribute(raised, 3)];
  geometry.morphTargetsRelative = true;
  return geometry;
}

describe('a geometry of a part', () => {
  it('keeps the vertices that its triangles use, and where targets take them', () => {
    const used = withUsedVertices(row(100, [40, 7, 99, 99, 7, 12]));
    expect(used.getAttribute('position').count).toBe(4);
    expect(used.morphAttributes.position![0]!.count).toBe(4);
    expect([...used.index!.array]).toEqual([2, 0, 3, 3, 0, 1]);
    const mesh = new Mesh(used);
    mesh.morphTargetInfluences = [0.5];
    const places = [...used.index!.array].map((vertex) =>
      mesh.getVertexPosition(vertex, mesh.position.clone()).toArray(),
    );
    expect(places).toEqual([40, 7, 99, 99, 7, 12].map((x) => [x, x / 2, 0]));
  });

  it('stays as it is where most vertices are used, or no triangles are listed', () => {
    const whole = row(4, [0, 1, 2, 2, 1, 3]);
    expect(withUsedVertices(whole)).toBe(whole);
    const soup = row(6, []);
    soup.setIndex(null);
    expect(withUsedVertices(soup)).toBe(soup);
  });
});

describe('vertices that a clip is framed by', () => {
  it('are some of many, and those at the ends in any case', () => {
    const positions = row(1001, []).getAttribute('position');
    const chosen = chosenVertices(positions, 300);
    expect(chosen.length).toBeLessThan(10);
    expect(chosen).toContain(0);
    expect(chosen).toContain(1000);
    expect(chosenVertices(positions, 1)).toHaveLength(1001);
  });
});
