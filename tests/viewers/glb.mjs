// What a .glb file says, read without the help of any viewer.
import { readFileSync } from 'node:fs';

const components = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

export class Glb {
  constructor(path) {
    const file = readFileSync(path);
    const length = file.readUInt32LE(12);
    this.json = JSON.parse(file.toString('utf8', 20, 20 + length));
    this.data = file.subarray(28 + length);
  }

  // The numbers of an accessor of floats or of indices.
  read(number) {
    const { bufferView, componentType, count, type } = this.json.accessors[number];
    const view = this.json.bufferViews[bufferView];
    const read = {
      5123: (at) => this.data.readUInt16LE(view.byteOffset + 2 * at),
      5125: (at) => this.data.readUInt32LE(view.byteOffset + 4 * at),
      5126: (at) => this.data.readFloatLE(view.byteOffset + 4 * at),
    }[componentType];
    return Float64Array.from({ length: count * components[type] }, (_, i) => read(i));
  }

  // The vertices of a mesh with these weights of its targets, by the formula of glTF: xyz xyz ...
  positions(mesh, weights) {
    const { attributes, targets = [] } = this.json.meshes[mesh].primitives[0];
    const sum = this.read(attributes.POSITION);
    targets.forEach((target, t) => {
      if (weights[t] === 0) return;
      this.read(target.POSITION).forEach((value, i) => (sum[i] += weights[t] * value));
    });
    return sum;
  }
}

// The largest distance between entries, relative to the size of `expected`.
export function difference(found, expected) {
  let largest = 0;
  let size = 0;
  for (let i = 0; i < expected.length; ++i) {
    largest = Math.max(largest, Math.abs(found[i] - expected[i]));
    size = Math.max(size, Math.abs(expected[i]));
  }
  if (found.length !== expected.length || Number.isNaN(largest)) return Infinity;
  return largest / size;
}
