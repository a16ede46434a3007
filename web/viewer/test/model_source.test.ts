import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../src/base64';
import type { FetchResponse, TextElement } from '../src/model_source';
import { contentHash, embeddedModels, fileModel, servedModels } from '../src/model_source';
import { shellWord } from '../src/shell_word';
import { sketchCommand, sketchTime } from '../src/ui/sketch_section';

/** The beginning of a .glb file: magic, version, length. */
function glb(length = 12): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, length, true);
  return bytes;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

describe('base64', () => {
  it.each([0, 1, 2, 3, 4, 5, 255, 1000])('gives back %d bytes', (count) => {
    const bytes = Uint8Array.from({ length: count }, (_, i) => (i * 151 + 7) % 256);
    expect(decodeBase64(base64(bytes))).toEqual(bytes);
  });

  it('skips white space', () => {
    expect([...decodeBase64(' AQ\nID\r\n')]).toEqual([1, 2, 3]);
  });

  it.each(['A', 'AB*D', 'A=BC', 'AB\u0141D', 'ABCDE'])('refuses %j', (text) => {
    expect(() => decodeBase64(text)).toThrow('base64');
  });
});

describe('a model inside of the page', () => {
  const page = (element: TextElement | null) => ({
    getElementById: (id: string) => (id === 'limber-model' ? element : null),
  });

  it('is decoded, with its name', () => {
    const [model] = embeddedModels(page({ textContent: base64(glb()), dataset: { name: 'octopus.glb' } }));
    expect(model?.name).toBe('octopus.glb');
    expect(new Uint8Array(model!.bytes!)).toEqual(glb());
  });

  it('is taken out of the page', () => {
    const element = { textContent: base64(glb()), dataset: {} };
    embeddedModels(page(element));
    expect(element.textContent).toBe('');
  });

  it('is none without the element or without text', () => {
    expect(embeddedModels(page(null))).toEqual([]);
    expect(embeddedModels(page({ textContent: ' \n', dataset: {} }))).toEqual([]);
  });

  it.each([
    ['0,0,-9.81', [0, 0, -9.81]],
    ['', undefined],
    ['0,0', undefined],
    ['0,,1', undefined],
    ['0,0,NaN', undefined],
  ])('comes with gravity %j', (gravity, expected) => {
    const [model] = embeddedModels(page({ textContent: base64(glb()), dataset: { gravity } }));
    expect(model?.gravity).toEqual(expected);
  });

  it('may be one of several, some of them of one file', () => {
    const elements: Record<string, TextElement> = {
      'limber-model': { textContent: base64(glb()), dataset: { name: 'a.glb' } },
      'limber-model-2': { textContent: base64(glb()), dataset: { name: 'b.glb' } },
      'limber-model-3': { textContent: '', dataset: { name: 'a.glb', sameAs: 'limber-model' } },
    };
    const models = embeddedModels({ getElementById: (id) => elements[id] ?? null });
    expect(models.map(({ name, bytes }) => [name, bytes !== null])).toEqual([
      ['a.glb', true],
      ['b.glb', true],
      ['a.glb', false],
    ]);
    expect(models[2]!.file).toBe(models[0]!.file);
    expect(models[1]!.file).not.toBe(models[0]!.file);
  });

  it('that is damaged is named', () => {
    expect(() => embeddedModels(page({ textContent: 'Z2*U', dataset: { name: 'a.glb' } }))).toThrow(
      'The model a.glb inside of this page is damaged',
    );
  });
});

describe('a model from the server', () => {
  function response(
    change: Partial<FetchResponse> = {},
    headers: Record<string, string> = {},
  ): FetchResponse {
    return {
      ok: true,
      status: 200,
      headers: { get: (name) => headers[name.toLowerCase()] ?? null },
      arrayBuffer: () => Promise.resolve(glb().buffer),
      ...change,
    };
  }
  const served = async (answer: FetchResponse, protocol = 'http:') =>
    (await servedModels(() => Promise.resolve(answer), protocol))[0];

  it('has the name that the header says', async () => {
    const model = await served(response({}, { 'x-limber-name': 'my%20b%C3%A4r.glb' }));
    expect(model?.name).toBe('my bär.glb');
  });

  it('has a plain name where the header is missing or broken', async () => {
    expect((await served(response()))?.name).toBe('model.glb');
    expect((await served(response({}, { 'x-limber-name': '%E4' })))?.name).toBe('model.glb');
  });

  it('comes with the gravity that the header says', async () => {
    const model = await served(response({}, { 'x-limber-gravity': '0,-9.81,0' }));
    expect(model?.gravity).toEqual([0, -9.81, 0]);
    expect((await served(response()))?.gravity).toBeUndefined();
  });

  it('may be one of several, and a file is fetched once', async () => {
    const asked: string[] = [];
    const bodies = { 'x-limber-bodies': 'model.glb, model-2.glb, model.glb' };
    const fetch = (address: string): Promise<FetchResponse> => {
      asked.push(address);
      return Promise.resolve(response({}, { 'x-limber-name': `of ${address}`, ...bodies }));
    };
    const models = await servedModels(fetch, 'http:');
    expect(asked).toEqual(['model.glb', 'model-2.glb']);
    expect(models.map(({ name, bytes }) => [name, bytes !== null])).toEqual([
      ['of model.glb', true],
      ['of model-2.glb', true],
      ['of model.glb', false],
    ]);
    expect(models[2]!.file).toBe(models[0]!.file);
  });

  it('that is missing among several is named', async () => {
    const fetch = (address: string): Promise<FetchResponse> =>
      Promise.resolve(
        address === 'model.glb'
          ? response({}, { 'x-limber-bodies': 'model.glb,model-2.glb' })
          : response({ ok: false, status: 404 }),
      );
    await expect(servedModels(fetch, 'http:')).rejects.toThrow('model-2.glb could not be fetched');
  });

  it('is none where the server has none', async () => {
    expect(await served(response({ ok: false, status: 404 }))).toBeUndefined();
  });

  it('is none where the server answers with a page', async () => {
    expect(await served(response({}, { 'content-type': 'text/html' }))).toBeUndefined();
  });

  it('is not asked for by a page from disk', async () => {
    const fetch = (): never => {
      throw new Error('asked');
    };
    expect(await servedModels(fetch, 'file:')).toEqual([]);
  });

  it('that cannot be fetched is explained', async () => {
    await expect(served(response({ ok: false, status: 500 }))).rejects.toThrow('status 500');
    await expect(servedModels(() => Promise.reject(new TypeError('network')), 'http:')).rejects.toThrow(
      'is limber view still running?',
    );
  });
});

describe('a file', () => {
  const fileOf = (name: string, bytes: Uint8Array<ArrayBuffer>, size = bytes.length) => ({
    name,
    size,
    arrayBuffer: () => Promise.resolve(bytes.buffer),
  });
  const text = new TextEncoder().encode('v 0 0 0\nv 1 0 0\n');

  it('is read', async () => {
    const model = await fileModel(fileOf('a.glb', glb()));
    expect(model.name).toBe('a.glb');
    expect(model.bytes?.byteLength).toBe(12);
    expect(model.file).toBe((await fileModel(fileOf('a.glb', glb()))).file);
    expect(model.file).not.toBe((await fileModel(fileOf('b.glb', glb()))).file);
  });

  it('with other content is another one, though it has the same name and size', async () => {
    const [one, other] = [new Uint8Array(16), new Uint8Array(16)];
    for (const bytes of [one, other]) bytes.set(glb());
    other[15] = 1;
    const file = (await fileModel(fileOf('a.glb', one))).file;
    expect((await fileModel(fileOf('a.glb', other))).file).not.toBe(file);
    expect((await fileModel(fileOf('a.glb', one.slice()))).file).toBe(file);
  });

  it('that is empty is refused', async () => {
    await expect(fileModel(fileOf('a.glb', new Uint8Array(0)))).rejects.toThrow('a.glb is empty.');
  });

  it('that is too large is refused before it is read', async () => {
    await expect(fileModel(fileOf('a.glb', glb(), 3 * 2 ** 30))).rejects.toThrow(
      'a.glb has 3.0 GiB; the viewer opens files of up to 2 GiB.',
    );
  });

  it('that cannot be read is named', async () => {
    const folder = {
      name: 'folder',
      size: 4096,
      arrayBuffer: () => Promise.reject(new Error('NotReadable')),
    };
    await expect(fileModel(folder)).rejects.toThrow('folder could not be read.');
  });

  it('with a mesh is answered with the command that makes a model of it', async () => {
    await expect(fileModel(fileOf('bunny.obj', text))).rejects.toThrow(
      'bunny.obj is not a .glb file; make a model from it with: limber reduce bunny.obj -o bunny.glb',
    );
    await expect(fileModel(fileOf('my bunny.v2.obj', text))).rejects.toThrow(
      "limber reduce 'my bunny.v2.obj' -o 'my bunny.v2.glb'",
    );
  });

  it('that is only called .glb is refused', async () => {
    await expect(fileModel(fileOf('a.glb', text))).rejects.toThrow(
      'a.glb is not a .glb file, in spite of its name.',
    );
  });

  it('that is cut short is refused', async () => {
    await expect(fileModel(fileOf('a.glb', glb(5000)))).rejects.toThrow(
      'a.glb is cut short: it has 12 of its 5000 bytes.',
    );
  });
});

describe('the hash of a content', () => {
  it('differs with each bit of it, also of the last bytes', () => {
    const hashes = new Set<string>();
    for (let bit = 0; bit < 8 * 19; ++bit) {
      const bytes = new Uint8Array(19);
      bytes[bit >> 3] = 1 << (bit & 7);
      hashes.add(contentHash(bytes.buffer));
    }
    expect(hashes.size).toBe(8 * 19);
  });

  it('differs where the signs of two numbers that follow each other change', () => {
    expect(contentHash(Float32Array.of(1, 2, 3).buffer)).not.toBe(
      contentHash(Float32Array.of(1, -2, -3).buffer),
    );
  });
});

describe('a word of a command line', () => {
  it.each([
    ['bunny.v2+1_a-b.obj', 'bunny.v2+1_a-b.obj'],
    ['my bunny.obj', "'my bunny.obj'"],
    ['$(touch x).obj', "'$(touch x).obj'"],
    ['a`b"c\\d.obj', "'a`b\"c\\d.obj'"],
    ["it's.obj", "'it'\\''s.obj'"],
    ['-rf.obj', './-rf.obj'],
    ['- $x', "'./- $x'"],
    ['', "''"],
  ])('for %j is %j', (name, word) => {
    expect(shellWord(name)).toBe(word);
  });

  it('is each name in the command for a sketch', () => {
    expect(sketchCommand("o'$x")).toBe(
      "limber reduce MESH --sketch 'o'\\''$x.sketch.json' -o 'o'\\''$x-2.glb'",
    );
    expect(sketchCommand('beam')).toBe('limber reduce MESH --sketch beam.sketch.json -o beam-2.glb');
    expect(sketchTime(185, 27570)).toBe('at most about 9 min');
    expect(sketchTime(3, 1000)).toBe('at most about 1 s');
    expect(sketchTime(3, 0)).toBe('');
  });
});
