// Where arrays of any length lie in textures, which are at most a few thousand texels wide.

/** Texel i is at (i mod 2^shift, floor(i / 2^shift)). */
export interface Grid {
  /** 2^shift */
  readonly width: number;
  readonly height: number;
  readonly shift: number;
}

export interface TextureLimits {
  /** MAX_TEXTURE_SIZE, at least 2048 */
  readonly size: number;
  /** MAX_ARRAY_TEXTURE_LAYERS, at least 256 */
  readonly layers: number;
}

/** A grid of at least `count` texels, about square, with less than a row to spare. Throws where none is large enough. */
export function gridFor(count: number, maxSize: number): Grid {
  let shift = 0;
  while (2 ** (2 * shift) < count && 2 ** (shift + 1) <= maxSize) ++shift;
  const width = 2 ** shift;
  const height = Math.max(1, Math.ceil(count / width));
  if (height > maxSize) {
    throw new Error(
      `The body is too large for this graphics device: ${count} numbers in a texture of at most ${maxSize} by ${maxSize}.`,
    );
  }
  return { width, height, shift };
}

/** Columns of 3 n floats in an array texture of RGB texels: column c is in layer floor(c / perLayer), from row
 *  (c mod perLayer) grid.height on. */
export interface ColumnLayout {
  /** Of one column: a texel per vertex. */
  readonly grid: Grid;
  readonly perLayer: number;
  readonly layers: number;
  /** Rows of a layer. */
  readonly layerHeight: number;
}

/** One column per layer where the device has as many layers, else several. Throws where they do not fit. */
export function columnLayout(vertices: number, columns: number, limits: TextureLimits): ColumnLayout {
  const grid = gridFor(vertices, limits.size);
  const perLayer = Math.max(1, Math.ceil(columns / limits.layers));
  const layerHeight = perLayer * grid.height;
  if (layerHeight > limits.size) {
    throw new Error(
      `The body is too large for this graphics device: ${columns} columns of ${vertices} vertices, with ${limits.layers} layers of ${limits.size} rows.`,
    );
  }
  return { grid, perLayer, layers: Math.ceil(columns / perLayer), layerHeight };
}

/** The rest positions (3 n) as column 0 and the columns of the basis (3 n r) after it, padded with zeros. */
export function packColumns(rest: Float32Array, basis: Float32Array, layout: ColumnLayout): Float32Array {
  const length = rest.length;
  const stride = 3 * layout.grid.width * layout.grid.height;
  const packed = new Float32Array(stride * layout.perLayer * layout.layers);
  packed.set(rest, 0);
  for (let column = 0; (column + 1) * length <= basis.length && length > 0; ++column) {
    packed.set(basis.subarray(column * length, (column + 1) * length), (column + 1) * stride);
  }
  return packed;
}
