// Parts of a body share their vertices in a file. On the graphics device each would have all of them, with their targets: a copy for each part.

import { BufferAttribute, BufferGeometry, type InterleavedBufferAttribute } from 'three';

type Attribute = BufferAttribute | InterleavedBufferAttribute;

/** Share of vertices in use from which on a geometry stays as it is. */
const worthwhile = 0.75;

/** The same triangles with those vertices alone that they use, in their order; the geometry itself where that is most of them. */
export function withUsedVertices(geometry: BufferGeometry): BufferGeometry {
  const { index, attributes, morphAttributes } = geometry;
  const all = [...Object.values(attributes), ...Object.values(morphAttributes).flat()];
  if (!index || !all.every((attribute) => attribute instanceof BufferAttribute)) return geometry;
  const { count } = geometry.getAttribute('position');
  const number = new Int32Array(count).fill(-1);
  for (const vertex of index.array) number[vertex] = 0;
  const used: number[] = [];
  number.forEach((mark, vertex) => {
    if (mark === 0) number[vertex] = used.push(vertex) - 1;
  });
  if (used.length >= worthwhile * count) return geometry;

  const smaller = new BufferGeometry();
  smaller.name = geometry.name;
  smaller.setIndex(Array.from(index.array, (vertex) => number[vertex]!));
  for (const group of geometry.groups) smaller.addGroup(group.start, group.count, group.materialIndex);
  for (const [name, attribute] of Object.entries(attributes))
    smaller.setAttribute(name, picked(attribute, used));
  for (const [name, targets] of Object.entries(morphAttributes) as [
    keyof typeof morphAttributes,
    Attribute[],
  ][])
    smaller.morphAttributes[name] = targets.map((target) => picked(target, used));
  smaller.morphTargetsRelative = geometry.morphTargetsRelative;
  return smaller;
}

function picked(attribute: Attribute, vertices: readonly number[]): BufferAttribute {
  const { array, itemSize, normalized } = attribute;
  const Numbers = array.constructor as new (length: number) => typeof array;
  const values = new Numbers(itemSize * vertices.length);
  vertices.forEach((vertex, i) => {
    for (let k = 0; k < itemSize; ++k) values[itemSize * i + k] = array[itemSize * vertex + k]!;
  });
  return new BufferAttribute(values, itemSize, normalized);
}
