import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    limber: string;
    models: string;
  }
}

/** Models that the tests look at, made once: an octopus and a bar with exact forces, a heart with cubature, a bridge
 *  in two regions, a bar that nothing holds and a clip in which it is thrown upward, a tree of four domains, and a
 *  scene with gravity. */
export default function makeModels(project: TestProject): () => void {
  const limber = process.env.LIMBER;
  if (limber === undefined) throw new Error('LIMBER is not set: it names the command that the tests run');
  const reference = process.env.LIMBER_REFERENCE;
  if (reference === undefined)
    throw new Error('LIMBER_REFERENCE is not set: it names the program live_reference');
  const models = mkdtempSync(join(tmpdir(), 'limber-viewer-'));
  const reduce = (body: string, file: string, ...options: string[]): void => {
    execFileSync(limber, ['reduce', body, '-o', join(models, file), ...options], { stdio: 'pipe' });
  };
  reduce('builtin:octopus?cells=38&render=70', 'octopus.glb', '--modes', '10', '--rank', '15');
  reduce(
    'builtin:heart?cells=22&render=60',
    'heart.glb',
    '--modes',
    '6',
    '--rank',
    '10',
    '--law',
    'neo-hookean',
  );
  reduce('builtin:beam', 'beam.glb', '--modes', '6', '--rank', '10');
  reduce(
    'builtin:bridge?cells=40&element=brick&render=40',
    'bridge.glb',
    '--modes',
    '3',
    '--rank',
    '4',
    '--no-check',
  );
  reduce('builtin:beam', 'free.glb', '--modes', '6', '--rank', '10', '--free');
  const thrown = ['simulate', join(models, 'free.glb'), '-o', join(models, 'thrown.glb'), '--seconds', '0.5'];
  execFileSync(limber, [...thrown, '--velocity', '0,0,4'], { stdio: 'pipe' });
  const falling = { mesh: 'builtin:beam', fixed: 'none', method: 'reduced', basis: { modes: 4, rank: 6 } };
  const solver = { type: 'dynamic', timestep: 0.01, steps: 2 };
  const scene = { bodies: [falling], gravity: [0, 0, -9.81], solver };
  writeFileSync(join(models, 'falling.json'), JSON.stringify(scene));
  // Bodies three times as tall as wide, by whichever axis is up in their files.
  for (const [name, axis] of [
    ['tall_z.off', 2],
    ['tall_y.off', 1],
  ] as const) {
    const half = [0, 1, 2].map((i) => (i === axis ? 0.6 : 0.2));
    const corners = [...Array(8).keys()].map((k) => half.map((x, i) => ((k >> i) & 1 ? x : -x)).join(' '));
    const faces = ['0 2 3 1', '4 5 7 6', '0 1 5 4', '2 6 7 3', '0 4 6 2', '1 3 7 5'].map(
      (face) => `4 ${face}`,
    );
    writeFileSync(join(models, name), `OFF\n8 6 0\n${[...corners, ...faces].join('\n')}\n`);
  }
  execFileSync(reference, ['--make-tree', join(models, 'tree.glb')], { stdio: 'pipe' });
  project.provide('limber', limber);
  project.provide('models', models);
  return () => {
    rmSync(models, { recursive: true, force: true });
  };
}
