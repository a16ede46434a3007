// What a .glb file says, read without the help of any viewer.
import { readFileSync } from 'node:fs';

const components = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

export class Glb {
  constructor(path) {
    const file = readFileSync(path);
    const length = file.readUInt32LE(12);
    this.json = JSON.parse(file.toString('utf8', 20, 20 + length));
    this.data = file.subarray(28 + length);
    this.known = new Map(); // numbers of accessors
    this.channels = new Map(); // of the animation, by node and path
    const [animation] = this.json.animations ?? [];
    for (const { sampler, target } of animation?.channels ?? []) {
      this.channels.set(`${target.node} ${target.path}`, animation.samplers[sampler].output);
    }
  }

  // The numbers of an accessor of floats or of indices.
  read(number) {
    if (!this.known.has(number)) this.known.set(number, this.decode(number));
    return this.known.get(number);
  }

  decode(number) {
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
    const sum = this.read(attributes.POSITION).slice();
    targets.forEach((target, t) => {
      if (weights[t] === 0) return;
      this.read(target.POSITION).forEach((value, i) => (sum[i] += weights[t] * value));
    });
    return sum;
  }

  // What a node has in a frame of the animation, or without one: from its channel, else its own, else the given.
  value(node, path, frame, missing) {
    const output = this.channels.get(`${node} ${path}`);
    if (output === undefined || frame === null) return this.json.nodes[node][path] ?? missing;
    const width = missing.length;
    return Array.from(this.read(output).subarray(frame * width, (frame + 1) * width));
  }

  // Vertices of a node, moved to where it is: rotation (scale x) + translation, of its parents, too.
  placed(node, frame, positions) {
    const [tx, ty, tz] = this.value(node, 'translation', frame, [0, 0, 0]);
    const [x, y, z, w] = this.value(node, 'rotation', frame, [0, 0, 0, 1]);
    const [sx, sy, sz] = this.value(node, 'scale', frame, [1, 1, 1]);
    const result = new Float64Array(positions.length);
    for (let i = 0; i < positions.length; i += 3) {
      const [a, b, c] = [sx * positions[i], sy * positions[i + 1], sz * positions[i + 2]];
      const [u, v, t] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
      result[i] = tx + a + w * u + y * t - z * v;
      result[i + 1] = ty + b + w * v + z * u - x * t;
      result[i + 2] = tz + c + w * t + x * v - y * u;
    }
    const parent = this.json.nodes.findIndex(({ children = [] }) => children.includes(node));
    return parent < 0 ? result : this.placed(parent, frame, result);
  }

  // Which mesh each node shows and how many coordinates it has.
  bodies() {
    const { domains, parts } = this.json.extensions.LIMBER_model;
    return domains.map(({ part }) => parts[part]);
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
