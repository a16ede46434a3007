import { describe, expect, it } from 'vitest';
import { columnLayout, gridFor, packColumns } from '../src/stage/texture_layout';

describe('gridFor', () => {
  it.each([1, 2, 16, 17, 1000, 200_000])('holds %i texels with less than a row to spare', (count) => {
    const { width, height, shift } = gridFor(count, 2048);
    expect(width).toBe(2 ** shift);
    expect(width * height).toBeGreaterThanOrEqual(count);
    expect(width * (height - 1)).toBeLessThan(count);
    expect(Math.max(width, height)).toBeLessThanOrEqual(2048);
  });

  it('has a texel for no numbers at all, as textures of no size are not allowed', () => {
    expect(gridFor(0, 2048)).toEqual({ width: 1, height: 1, shift: 0 });
  });

  it('uses the largest texture to its last texel', () => {
    expect(gridFor(2048 * 2048, 2048)).toEqual({ width: 2048, height: 2048, shift: 11 });
  });

  it('refuses more than the largest texture holds', () => {
    expect(() => gridFor(2048 * 2048 + 1, 2048)).toThrow(/too large/);
  });
});

describe('columnLayout', () => {
  const limits = { size: 2048, layers: 256 };

  it('gives each column a layer where there are enough', () => {
    expect(columnLayout(1000, 31, limits)).toMatchObject({ perLayer: 1, layers: 31 });
  });

  it('stacks columns where there are more than layers', () => {
    const layout = columnLayout(1000, 1001, limits);
    expect(layout.perLayer).toBe(4);
    expect(layout.layers).toBe(251);
    expect(layout.layerHeight).toBe(4 * layout.grid.height);
  });

  it('refuses stacks that are higher than a texture', () => {
    expect(() => columnLayout(2_000_000, 1001, limits)).toThrow(/too large/);
  });
});

describe('packColumns', () => {
  it('puts the rest positions first and each column where the shader looks for it', () => {
    const [vertices, rank] = [5, 7];
    const layout = columnLayout(vertices, rank + 1, { size: 64, layers: 3 });
    const rest = Float32Array.from({ length: 3 * vertices }, (_, i) => 1000 + i);
    const basis = Float32Array.from({ length: 3 * vertices * rank }, (_, i) => i);
    const packed = packColumns(rest, basis, layout);
    const { grid, perLayer, layerHeight } = layout;
    expect(packed.length).toBe(3 * grid.width * layerHeight * layout.layers);
    for (let column = 0; column <= rank; ++column) {
      for (let vertex = 0; vertex < vertices; ++vertex) {
        const x = vertex & (grid.width - 1);
        const y = (vertex >> grid.shift) + (column % perLayer) * grid.height;
        const texel = (Math.floor(column / perLayer) * layerHeight + y) * grid.width + x;
        const expected = column === 0 ? rest[3 * vertex] : basis[3 * vertices * (column - 1) + 3 * vertex];
        expect(packed[3 * texel]).toBe(expected);
      }
    }
  });
});
