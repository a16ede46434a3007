import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** The command that makes models; tests that need some are skipped without. */
export const limber = process.env.LIMBER;
/** The native program of tests/web; tests that compare with it are skipped without. */
export const reference = process.env.LIMBER_REFERENCE;

/** Why tests are skipped; empty where they are not. Goes into their names. */
export const needsLimber = limber ? '' : ' (skipped: LIMBER is not set to the path of the command)';
export const needsReference =
  limber && reference
    ? ''
    : ' (skipped: LIMBER and LIMBER_REFERENCE are not set to the paths of the command and of live_reference)';
if (needsReference) console.warn(`tests of the runtime${needsLimber || needsReference}`);

const cells = [8, 2, 2] as const;
const size = [0.05, 0.04, 0.05] as const; // m, of a cell; not square, so that no two vibrations have one frequency

const folder = mkdtempSync(join(tmpdir(), 'limber-test-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A beam along x as a Medit file, of bricks or of tetrahedra, in two regions: 1 at the fixed end and 2. */
function beamFile(kind: 'brick' | 'tetrahedron'): string {
  const [nx, ny, nz] = cells;
  const vertex = (i: number, j: number, k: number) => 1 + i + (nx + 1) * (j + (ny + 1) * k);
  const vertices: string[] = [];
  for (let k = 0; k <= nz; ++k) {
    for (let j = 0; j <= ny; ++j) {
      for (let i = 0; i <= nx; ++i) vertices.push(`${i * size[0]} ${j * size[1]} ${k * size[2]} 0`);
    }
  }
  // Six tetrahedra around the diagonal from corner 0 to corner 6.
  const split = [
    [0, 1, 2, 6],
    [0, 2, 3, 6],
    [0, 3, 7, 6],
    [0, 7, 4, 6],
    [0, 4, 5, 6],
    [0, 5, 1, 6],
  ];
  const elements: string[] = [];
  for (let k = 0; k < nz; ++k) {
    for (let j = 0; j < ny; ++j) {
      for (let i = 0; i < nx; ++i) {
        const low = [vertex(i, j, k), vertex(i + 1, j, k), vertex(i + 1, j + 1, k), vertex(i, j + 1, k)];
        const corners = [...low, ...low.map((v) => v + (nx + 1) * (ny + 1))];
        const region = i < nx / 2 ? 1 : 2;
        const parts = kind === 'brick' ? [[0, 1, 2, 3, 4, 5, 6, 7]] : split;
        for (const part of parts) elements.push([...part.map((c) => corners[c]), region].join(' '));
      }
    }
  }
  const name = kind === 'brick' ? 'Hexahedra' : 'Tetrahedra';
  const text = [
    'MeshVersionFormatted 2',
    'Dimension 3',
    `Vertices ${vertices.length}`,
    ...vertices,
    `${name} ${elements.length}`,
    ...elements,
    'End',
  ].join('\n');
  const path = join(folder, `${kind}.mesh`);
  writeFileSync(path, text);
  return path;
}

const held = ['--fixed-where', 'x < 0.01'];

function reduce(kind: 'brick' | 'tetrahedron', path: string, options: readonly string[]): void {
  const words = ['reduce', beamFile(kind), '-o', path, '--young', '1e5', '--modes', '6', '--rank', '9'];
  execFileSync(limber!, [...words, '--threads', '1', ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Beams of rank 9: with exact forces, with cubature (neo-Hookean), without a simulation mesh, and one that nothing holds; and a small tree of
 * domains, made by the native reference: a stem, two twigs of one part and a rigid knob.
 */
const makers = {
  exact: (path: string) => {
    reduce('brick', path, held);
  },
  cubature: (path: string) => {
    reduce('tetrahedron', path, [...held, '--law', 'neo-hookean']);
  },
  bare: (path: string) => {
    reduce('brick', path, [...held, '--no-simulation-mesh']);
  },
  free: (path: string) => {
    reduce('brick', path, ['--free']);
  },
  tree: (path: string) => {
    execFileSync(reference!, ['--make-tree', path], { stdio: ['ignore', 'ignore', 'inherit'] });
  },
};
export type ModelName = keyof typeof makers;

const made = new Set<ModelName>();

export function modelPath(name: ModelName): string {
  const path = join(folder, `${name}.glb`);
  if (!made.has(name)) makers[name](path);
  made.add(name);
  return path;
}

export function readModel(name: ModelName): Uint8Array {
  return new Uint8Array(readFileSync(modelPath(name)));
}

/** A file in the tests' own folder. */
export function temporaryFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
