import { describe, expect, it } from 'vitest';
import createModule from '#wasm/limber_wasm.mjs';
import { load, LimberError } from '../src/index';
import { WasmRuntime, type WasmModule } from '../src/wasm_module';
import { documentOf, numberPaths, replaced, withDocument, type Json } from './glb';
import { needsLimber, readModel } from './models';

/** Numbers from 0 to 1, the same each time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Loads a damaged file: it must be refused with a reason, or be a body that steps or says why not. Returns the reason. */
async function survive(file: Uint8Array): Promise<string> {
  try {
    const body = await load(file);
    try {
      body.setGravity([0, 0, -9.81]);
      body.step(0.001, 2);
      if (body.info.warpable) body.setMethod('warped');
      body.step(0.001, 2);
      body.surface();
      body.simulationMesh();
      body.frequencies();
      return '';
    } finally {
      body.dispose();
    }
  } catch (error) {
    expect(error).toBeInstanceOf(LimberError);
    const { message } = error as LimberError;
    expect(message).not.toMatch(/the runtime failed/);
    expect(message.length).toBeGreaterThan(10);
    return message;
  }
}

/** Whether a number of a document is one that is read, and of the long lists every fifth. */
function isTold(path: readonly (string | number)[]): boolean {
  const unread = ['materials', 'min', 'max', 'weights'].some((key) => path.includes(key));
  return !unread && path.every((key) => typeof key === 'string' || key < 2 || key % 5 === 0);
}

async function expectGoodModelToLoad(): Promise<void> {
  const body = await load(readModel('exact'));
  body.step(0.001);
  expect(body.rank()).toBe(9);
  body.dispose();
}

describe.skipIf(needsLimber)(`a file that is damaged or forged${needsLimber}`, () => {
  it('is refused when it is cut short', async () => {
    const file = readModel('exact');
    const lengths = [0, 1, 3, 4, 11, 12, 19, 20, 21, 100, 1000, file.length - 1];
    const random = seeded(1);
    for (let i = 0; i < 60; ++i) lengths.push(Math.floor(random() * file.length));
    for (const length of lengths)
      expect(await survive(file.slice(0, length)), `${length} bytes`).not.toBe('');
    await expectGoodModelToLoad();
  });

  it.each(['exact', 'cubature', 'free'] as const)('does no harm with flipped bytes (%s)', async (name) => {
    const file = readModel(name);
    const random = seeded(2);
    for (let i = 0; i < 300; ++i) {
      const copy = file.slice();
      // Half of them in the header and the document, where they matter most.
      const at = Math.floor(random() * (i % 2 ? file.length : Math.min(file.length, 8000)));
      copy[at] = copy[at]! ^ (1 + Math.floor(random() * 255));
      await survive(copy);
    }
    await expectGoodModelToLoad();
  });

  it.each(['exact', 'cubature'] as const)('does no harm with forged numbers (%s)', async (name) => {
    const file = readModel(name);
    const document = documentOf(file);
    const forged = [
      '2147483648',
      '4294967295',
      '4294967297',
      '9223372036854775807',
      '-1',
      '1e300',
      '0',
      '0.5',
    ];
    let refused = 0;
    for (const path of numberPaths(document).filter(isTold)) {
      for (const number of forged) {
        if ((await survive(withDocument(file, replaced(document, path, number)))) !== '') ++refused;
      }
    }
    expect(refused).toBeGreaterThan(100);
    await expectGoodModelToLoad();
  });

  it('is refused for a rank that its arrays do not have, whatever 32 bits make of it', async () => {
    const file = readModel('exact');
    const document = documentOf(file);
    const path = ['extensions', 'LIMBER_model', 'parts', 0, 'rank'];
    for (const rank of ['8', '10', '329', '400', '500', '1000']) {
      expect(await survive(withDocument(file, replaced(document, path, rank)))).toMatch(/expected/);
    }
    expect(await survive(withDocument(file, replaced(document, path, '1001')))).toMatch(/from 0 to 1000/);
  });

  it('does not fill the memory by arrays that claim much or share their bytes', async () => {
    const wasm = (await createModule()) as WasmModule;
    const runtime = new WasmRuntime(wasm);
    const file = readModel('exact');
    const bytes = (edit: (document: Record<string, Json[]>) => void) => {
      const document = documentOf(file) as Record<string, Json[]>;
      edit(document);
      return withDocument(file, JSON.stringify(document));
    };
    const claims = [
      bytes(({ accessors }) => {
        for (const each of accessors as Record<string, Json>[]) each.count = 2 ** 31 - 1;
      }),
      bytes(({ accessors }) => {
        for (const each of accessors as Record<string, Json>[]) {
          delete each.bufferView;
          each.count = file.length;
        }
      }),
      bytes(({ bufferViews }) => {
        for (const each of bufferViews as Record<string, Json>[]) {
          each.byteOffset = 0;
          each.byteLength = 2 ** 32;
        }
      }),
      bytes((document) => {
        const { extensions } = document as unknown as {
          extensions: { LIMBER_model: { parts: Record<string, Json[]>[] } };
        };
        const part = extensions.LIMBER_model.parts[0]!;
        part.regions = Array<Json>(2000).fill(part.regions![0]!);
      }),
      withDocument(file, '['.repeat(100_000)),
      withDocument(file, '{"asset":{"version":"2.0"},"a":' + '['.repeat(100_000) + ']'.repeat(100_000) + '}'),
    ];
    for (const [i, claim] of claims.entries()) {
      expect(() => runtime.load(claim), `claim ${i}`).toThrow(LimberError);
      expect(runtime.alive).toBe(true);
    }
    expect(wasm.HEAPU8.length).toBeLessThan(64 * 2 ** 20);
  });

  it('is refused when it is something else', async () => {
    expect(await survive(new TextEncoder().encode('hello, this is no model'))).toMatch(/not a glTF file/);
    expect(await survive(new TextEncoder().encode('{"asset":{"version":"2.0"}}'))).toMatch(/limber reduce/);
  });
});
