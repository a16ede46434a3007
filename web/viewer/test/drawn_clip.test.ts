import { describe, expect, it } from 'vitest';
import { checkClip, isClip } from '../src/clip_file';
import { DrawnClip } from '../src/stage/drawn_clip';
import { clipGlb, type ClipSetup, glbOf } from './clip_glb';

const slides: ClipSetup = {
  translations: [
    [0, 0, 0],
    [4, 0, 0],
  ],
};

/** The box about all places of a clip. */
function boxOf({ cloud: { positions } }: DrawnClip): number[][] {
  return [0, 1, 2].map((k) => {
    const values = positions.filter((_, i) => i % 3 === k);
    return [Math.min(...values), Math.max(...values)];
  });
}

describe('a file', () => {
  it('is a clip where it has animations, of whatever program, and no model', () => {
    expect(isClip(clipGlb(slides))).toBe(true);
    expect(isClip(clipGlb({ ...slides, generator: 'another program' }))).toBe(true);
    expect(isClip(clipGlb())).toBe(false);
    for (const extension of ['LIMBER_model', 'LIMBER_domain_tree'])
      expect(isClip(clipGlb({ ...slides, extras: { extensionsUsed: [extension] } }))).toBe(false);
  });

  it('is none where it is damaged', () => {
    const bytes = clipGlb(slides);
    for (const length of [0, 12, 19, 60]) expect(isClip(bytes.slice(0, length))).toBe(false);
    expect(isClip(glbOf([], new Float32Array(1)))).toBe(false);
    new Uint8Array(bytes).fill(0x7b, 20, 30);
    expect(isClip(bytes)).toBe(false);
  });

  it('is refused where its data is elsewhere or compressed', () => {
    const elsewhere = { buffers: [{ uri: 'https://example.com/a.bin', byteLength: 12 }] };
    expect(() => checkClip(clipGlb({ ...slides, extras: elsewhere }))).toThrow('in other files');
    const packed = { extensionsRequired: ['KHR_draco_mesh_compression'] };
    expect(() => checkClip(clipGlb({ ...slides, extras: packed }))).toThrow('compressed');
  });
});

describe('a clip', () => {
  it('moves by its nodes and by its morph targets', async () => {
    const clip = await DrawnClip.load(clipGlb({ ...slides, weights: [0, 1] }));
    expect(clip.parts.map(({ name, length }) => [name, length])).toEqual([['motion', 1]]);
    for (const time of [0.25, 1, 0, 0.75]) {
      clip.setTime(time);
      const [x, y, z] = clip.vertexPosition(0, 1);
      expect(x).toBeCloseTo(1 + 4 * time, 5);
      expect(y).toBeCloseTo(time, 5);
      expect(z).toBe(0);
    }
  });

  it('shows its last frame at its end, and not its first', async () => {
    const clip = await DrawnClip.load(clipGlb(slides));
    clip.setTime(1);
    expect(clip.vertexPosition(0, 0)[0]).toBe(4);
  });

  it('is framed by all places that it comes to', async () => {
    const clip = await DrawnClip.load(clipGlb({ ...slides, weights: [0, 1] }));
    expect(boxOf(clip)).toEqual([
      [0, 5],
      [0, 2],
      [0, 0],
    ]);
    expect(clip.grounded).toBe(false);
  });

  it('has the ground of bodies in place of its own, which is not framed but for its height', async () => {
    const ground = { half: 50, height: -2 };
    const clip = await DrawnClip.load(clipGlb({ ...slides, ground }));
    expect(clip.grounded).toBe(true);
    expect(boxOf(clip)).toEqual([
      [0, 5],
      [-2, 1],
      [0, 0],
    ]);
    const other = await DrawnClip.load(clipGlb({ ...slides, ground, generator: 'another program' }));
    expect(other.grounded).toBe(false);
  });

  it('has a choice of animations that move the same, each from its start', async () => {
    const clip = await DrawnClip.load(clipGlb({ ...slides, copies: 1 }));
    expect(clip.parts.map(({ name }) => name)).toEqual(['motion', 'again 1']);
    clip.setTime(1);
    clip.play(clip.parts[1]!);
    expect(clip.vertexPosition(0, 0)[0]).toBe(0);
  });

  it.each([
    ['times that do not ascend', { times: [1, 0] }, 'do not ascend'],
    ['values that do not fit', { times: [0, 1, 2] }, 'damaged'],
    ['numbers that are not finite', { translations: [[NaN, 0, 0], [0, 0, 0]] }, 'damaged'], // prettier-ignore
  ] as const)('with %s is refused', async (_, change, message) => {
    await expect(DrawnClip.load(clipGlb({ ...slides, ...change }))).rejects.toThrow(message);
  });
});
