import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelPath, needsLimber } from './models';

const web = fileURLToPath(new URL('../..', import.meta.url));

const script = `
import { readFile } from 'node:fs/promises';
import { load } from 'limber-runtime';

const body = await load(await readFile(process.argv[2]));
body.setGravity([0, 0, -9.81]);
body.step(0.01);
const { time, kineticEnergy } = body.state;
console.log(JSON.stringify({ rank: body.info.rank, time, kineticEnergy }));
body.dispose();
`;

describe.skipIf(needsLimber)(`the npm package${needsLimber}`, () => {
  let folder: string;
  let packed: string[];

  /** The text that a program prints. NODE_ENV as a person has it: the tests' own would change what is built. */
  async function run(program: string, args: string[], cwd: string): Promise<string> {
    const env = { ...process.env, NODE_ENV: 'production', npm_config_cache: join(folder, 'cache') };
    return (await promisify(execFile)(program, args, { cwd, env })).stdout;
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'limber-package-'));
    const [source, dist] = [join(folder, 'source'), join(folder, 'source/dist')];
    const installed = join(folder, 'node_modules/limber-runtime');
    for (const path of [source, installed]) mkdirSync(path, { recursive: true });
    const tool = async (path: string, ...args: string[]): Promise<string> =>
      run(process.execPath, [resolve(web, 'node_modules', path), ...args, '--outDir', dist], web);
    await Promise.all([
      tool('vite/bin/vite.js', 'build', '--config', 'runtime/vite.config.ts', '--emptyOutDir', 'false'),
      tool('typescript/bin/tsc', '-p', 'runtime/tsconfig.build.json'),
    ]);
    for (const name of ['package.json', 'README.md'])
      copyFileSync(join(web, 'runtime', name), join(source, name));
    const report = await run('npm', ['pack', '--json', '--offline', '--pack-destination', folder], source);
    const [made] = JSON.parse(report) as { filename: string; files: { path: string }[] }[];
    packed = made!.files.map((file) => file.path);
    await run('tar', ['-xzf', join(folder, made!.filename), '-C', installed, '--strip-components=1'], folder);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds one module, its types and what describes it', () => {
    const types = [
      'body',
      'checks',
      'description',
      'index',
      'limber_error',
      'model_arrays',
      'rapier',
      'types',
      'wasm_module',
      'world',
    ];
    const licences = ['dist/LICENSE', 'dist/NOTICE.txt'];
    const expected = [
      'README.md',
      'package.json',
      'dist/index.js',
      ...licences,
      ...types.map((t) => `dist/${t}.d.ts`),
    ];
    expect([...packed].sort()).toEqual(expected.sort());
  });

  it('moves a body in plain Node', async () => {
    writeFileSync(join(folder, 'script.mjs'), script);
    const found = JSON.parse(await run(process.execPath, ['script.mjs', modelPath('bare')], folder)) as {
      rank: number;
      time: number;
      kineticEnergy: number;
    };
    expect(found).toMatchObject({ rank: 9, time: 0.01 });
    expect(found.kineticEnergy).toBeGreaterThan(0);
  });
});
