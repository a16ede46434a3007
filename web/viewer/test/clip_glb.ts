// Clips as .glb files for tests, and what reads them without a browser.

/** Numbers of a node in each frame: three of a translation, or one weight of the one morph target. */
export interface ClipSetup {
  readonly times?: readonly number[];
  readonly translations?: readonly (readonly number[])[];
  readonly weights?: readonly number[];
  readonly generator?: string;
  /** A level square of this half width, at a height. */
  readonly ground?: { readonly half: number; readonly height: number };
  /** Further animations, which do the same as the first one. */
  readonly copies?: number;
  readonly extras?: object;
}

/** A triangle in the plane of x and y that a node carries and a morph target raises by 1 along y. */
export function clipGlb(setup: ClipSetup = {}): ArrayBuffer {
  const { times = [0, 1], generator = 'limber', ground, copies = 0, extras = {} } = setup;
  const accessors: object[] = [];
  const bufferViews: object[] = [];
  const numbers: number[] = [];
  const add = (values: readonly number[], type: 'SCALAR' | 'VEC3'): number => {
    const width = type === 'SCALAR' ? 1 : 3;
    const columns = Array.from({ length: width }, (_, k) => values.filter((_, i) => i % width === k));
    bufferViews.push({ buffer: 0, byteOffset: 4 * numbers.length, byteLength: 4 * values.length });
    numbers.push(...values);
    return (
      accessors.push({
        bufferView: bufferViews.length - 1,
        componentType: 5126,
        type,
        count: values.length / width,
        min: columns.map((column) => Math.min(...column)),
        max: columns.map((column) => Math.max(...column)),
      }) - 1
    );
  };
  const primitive = {
    attributes: { POSITION: add([0, 0, 0, 1, 0, 0, 0, 1, 0], 'VEC3') },
    targets: [{ POSITION: add([0, 1, 0, 0, 1, 0, 0, 1, 0], 'VEC3') }],
  };
  const meshes: object[] = [{ primitives: [primitive], weights: [0] }];
  const nodes: object[] = [{ mesh: 0, name: 'triangle' }];
  if (ground) {
    const { half: h, height: y } = ground;
    const corners = [-h, y, -h, h, y, -h, -h, y, h, h, y, h];
    meshes.push({ primitives: [{ attributes: { POSITION: add(corners, 'VEC3') }, mode: 5 }] });
    nodes.push({ mesh: 1, name: 'ground' });
  }
  const input = add(times, 'SCALAR');
  const samplers: object[] = [];
  const channels: object[] = [];
  const channel = (path: string, values: readonly number[], type: 'SCALAR' | 'VEC3'): void => {
    samplers.push({ input, output: add(values, type), interpolation: 'LINEAR' });
    channels.push({ sampler: samplers.length - 1, target: { node: 0, path } });
  };
  if (setup.translations) channel('translation', setup.translations.flat(), 'VEC3');
  if (setup.weights) channel('weights', setup.weights, 'SCALAR');
  const animation = { name: 'motion', samplers, channels };
  const again = Array.from({ length: copies }, (_, i) => ({ ...animation, name: `again ${i + 1}` }));
  const document = {
    asset: { version: '2.0', generator },
    scene: 0,
    scenes: [{ nodes: nodes.map((_, i) => i) }],
    nodes,
    meshes,
    ...(channels.length > 0 ? { animations: [animation, ...again] } : {}),
    accessors,
    bufferViews,
    buffers: [{ byteLength: 4 * numbers.length }],
    ...extras,
  };
  return glbOf(document, new Float32Array(numbers));
}

/** A .glb file of a document and the numbers in its buffer. */
export function glbOf(document: object, numbers: Float32Array): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(document));
  const padded = 4 * Math.ceil(text.length / 4);
  const bytes = new Uint8Array(28 + padded + numbers.byteLength).fill(0x20);
  const view = new DataView(bytes.buffer);
  [0x46546c67, 2, bytes.length, padded, 0x4e4f534a].forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  bytes.set(text, 20);
  view.setUint32(20 + padded, numbers.byteLength, true);
  view.setUint32(24 + padded, 0x004e4942, true);
  bytes.set(new Uint8Array(numbers.buffer), 28 + padded);
  return bytes.buffer;
}
