import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
 *  in two regions, a bar that nothing holds, and a tree of four domains. */
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
  execFileSync(reference, ['--make-tree', join(models, 'tree.glb')], { stdio: 'pipe' });
  project.provide('limber', limber);
  project.provide('models', models);
  return () => {
    rmSync(models, { recursive: true, force: true });
  };
}
