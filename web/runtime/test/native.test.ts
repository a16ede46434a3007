import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { load, type Quaternion, type Vector3 } from '../src/index';
import { modelPath, needsReference, readModel, reference, temporaryFile, type ModelName } from './models';
import { runScript, type Action } from './script';

const tip = 8; // a vertex at the free end

const ramp = (count: number, amplitude: number): number[] =>
  Array.from({ length: count }, (_, i) => amplitude * Math.sin(i + 1));

/** Largest difference as a share of the largest number. */
function difference(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  const worst = Math.max(0, ...found.map((x, i) => Math.abs(x - expected[i]!)));
  return worst === 0 ? 0 : worst / Math.max(...expected.map(Math.abs));
}

const top: Vector3 = [0.45, 0.1, 0.3];

const hands: Action[] = [
  { action: 'damping', mass: 0.2, stiffness: 0.002 },
  { action: 'gravity', value: [0, 0, -9.81] },
  { action: 'step', h: 0.002, count: 50 },
  { action: 'sample', vertex: tip },
  { action: 'springs', value: [{ vertex: tip, target: top, stiffness: 500 }] },
  { action: 'step', h: 0.002, count: 100 },
  { action: 'sample', vertex: tip },
  { action: 'material', region: 1, young: 3e5 },
  { action: 'material', region: 0, density: 700, poisson: 0.35 },
  { action: 'step', h: 0.001, count: 100 },
  { action: 'sample', vertex: tip },
];
const turned: Quaternion = [Math.sin(0.2), 0, 0, Math.cos(0.2)]; // by 0.4 rad about x
const shaken = [
  { time: 0 },
  { time: 0.3, position: [0, 0.1, 0.02] },
  { time: 0.8, position: [0.05, -0.1, 0], rotation: turned },
] as const;
const handled: Action[] = [
  { action: 'method', value: 'warped' },
  { action: 'damping', mass: 0.5, stiffness: 0.002 },
  { action: 'gravity', value: [0, 0, -9.81] },
  { action: 'force', vertex: 2, value: [0, 0.2, 0] },
  { action: 'step', h: 0.005, count: 40 },
  { action: 'sample', vertex: tip },
  { action: 'handles', value: [{ vertex: tip, position: [0.38, 0.05, 0.06] }] },
  { action: 'step', h: 0.005, count: 20 },
  { action: 'sample', vertex: tip },
  { action: 'handles', value: [{ vertex: tip, position: [0.38, 0.02, 0.04], rotation: turned }] },
  { action: 'step', h: 0.005, count: 20, iterations: 2 },
  { action: 'sample', vertex: tip },
  { action: 'handles', value: [{ vertex: tip, rotation: turned }], priority: 'orientation' },
  { action: 'springs', value: [{ vertex: 2, target: top, stiffness: 5 }] },
  { action: 'support', value: shaken },
  { action: 'material', region: 1, young: 2e5 },
  { action: 'rank', value: 8 },
  { action: 'step', h: 0.002, count: 30 },
  { action: 'sample', vertex: tip },
  { action: 'method', value: 'reduced' },
  { action: 'step', h: 0.0005, count: 10 },
  { action: 'sample', vertex: tip },
];
const blown: Action[] = [
  {
    action: 'surface',
    value: [
      { triangles: [0, 1, 2, 3, 4, 5, 6, 7], pressure: 800 },
      { triangles: [2, 3, 8], pressure: -300, traction: [40, 0, 90], from: 0.013, to: 0.082 },
      { triangles: [5, 9], traction: [0, 60, 0] },
    ],
  },
  { action: 'step', h: 0.005, count: 30 },
  { action: 'sample', vertex: tip },
  { action: 'method', value: 'warped' },
  { action: 'step', h: 0.005, count: 30 },
  { action: 'sample', vertex: tip },
  { action: 'surface', value: [] },
  { action: 'step', h: 0.005, count: 10 },
  { action: 'sample', vertex: tip },
];
const scripts: Record<string, Action[]> = {
  'pressure and traction': blown,
  'warped modes with handles': handled,
  'springs and edits of materials': hands,
  'steps that iterate': [
    { action: 'force', vertex: tip, value: [0, 1, 3] },
    { action: 'force', vertex: 2, value: [0, -1, 0] },
    { action: 'step', h: 0.01, count: 40, iterations: 20 },
    { action: 'sample', vertex: tip },
    { action: 'forces', value: [{ vertex: 2, force: [0.5, 0, 0] }] },
    { action: 'step', h: 0.01, count: 40, iterations: 20 },
    { action: 'sample', vertex: tip },
  ],
  'steps by conjugate gradients': [
    { action: 'gravity', value: [0, -9.81, 0] },
    { action: 'step', h: 0.002, count: 100, solver: 'cg' },
    { action: 'sample', vertex: tip },
  ],
  'a smaller rank and the linear model': [
    { action: 'rank', value: 5 },
    { action: 'gravity', value: [0, 3, -9.81] },
    { action: 'step', h: 0.002, count: 50 },
    { action: 'sample', vertex: tip },
    { action: 'method', value: 'linear' },
    { action: 'step', h: 0.002, count: 50 },
    { action: 'sample', vertex: tip },
    { action: 'method', value: 'reduced' },
    { action: 'rank', value: 9 },
    { action: 'step', h: 0.002, count: 50 },
    { action: 'sample', vertex: tip },
  ],
  'a support that is shaken, and wind': [
    { action: 'support', value: shaken },
    { action: 'step', h: 0.005, count: 200 },
    { action: 'sample', vertex: tip },
    { action: 'wind', value: [0, 8, 0], gusts: 0.5 },
    { action: 'step', h: 0.005, count: 50 },
    { action: 'sample', vertex: tip },
  ],
  'a state that is set': [
    { action: 'state', q: [0.1, -0.05, 0.02, 0, 0, 0, 0, 0, 0.01], v: [0, 0.5, 0, 0, 0, 0, 0, 0, 0] },
    { action: 'step', h: 0.001, count: 100 },
    { action: 'sample', vertex: tip },
    { action: 'reset' },
    { action: 'step', h: 0.001, count: 3 },
    { action: 'sample', vertex: tip },
  ],
};

const root = {
  position: [0, 0.1, 0],
  rotation: turned,
  velocity: [1, 0, 2],
  angularVelocity: [0, 3, 1],
} as const;
const flying: Record<string, Action[]> = {
  'a body that is thrown': [
    { action: 'state', q: ramp(9, 0.01), v: ramp(9, 0.1), root },
    { action: 'step', h: 0.002, count: 200 },
    { action: 'sample', vertex: tip },
    { action: 'gravity', value: [0, 0, -9.81] },
    { action: 'springs', value: [{ vertex: tip, target: top, stiffness: 50 }] },
    { action: 'rank', value: 6 },
    { action: 'step', h: 0.002, count: 100 },
    { action: 'sample', vertex: tip },
  ],
};

const twig = 132; // the end of one
const tree: Record<string, Action[]> = {
  'springs, gravity, stiffness of a domain and a material': [
    { action: 'damping', mass: 0.2, stiffness: 0.002 },
    { action: 'gravity', value: [0, 0, -9.81] },
    { action: 'step', h: 0.005, count: 40 },
    { action: 'sample', vertex: twig },
    { action: 'springs', value: [{ vertex: twig, target: [0.4, 0.4, 0.2], stiffness: 20 }] },
    { action: 'step', h: 0.005, count: 60 },
    { action: 'sample', vertex: twig },
    { action: 'stiffness', domain: 1, value: 0.3 },
    { action: 'material', part: 1, region: 0, young: 3e5 },
    { action: 'rank', part: 1, value: 4 },
    { action: 'step', h: 0.005, count: 60 },
    { action: 'sample', vertex: twig },
  ],
  'lumped subtrees, forces, wind and a state': [
    { action: 'inertia', value: 'interface' },
    { action: 'state', q: ramp(20, 0.01), v: ramp(20, 0.1) },
    { action: 'force', vertex: twig, value: [0, 0.1, 0.2] },
    { action: 'step', h: 0.002, count: 50 },
    { action: 'sample', vertex: twig },
    { action: 'forces', value: [] },
    { action: 'inertia', value: 'center' },
    { action: 'step', h: 0.002, count: 50, iterations: 8 },
    { action: 'sample', vertex: twig },
    { action: 'reset' },
    { action: 'wind', value: [3, 5, 0], gusts: 0.5 },
    { action: 'step', h: 0.01, count: 50 },
    { action: 'sample', vertex: twig },
  ],
};

const cases: [ModelName, string, Action[]][] = (
  [
    ['exact', scripts],
    ['cubature', scripts],
    ['free', flying],
    ['tree', tree],
  ] as const
).flatMap(([model, some]) =>
  Object.entries(some).map(([name, script]) => [model, name, script] as [ModelName, string, Action[]]),
);

describe.skipIf(needsReference)(`WebAssembly gives what the native runtime gives${needsReference}`, () => {
  it.each(cases)('for the model %s: %s', async (model, name, script) => {
    const path = temporaryFile('script.json', JSON.stringify(script));
    const printed = execFileSync(reference!, [modelPath(model), path], { encoding: 'utf8' });
    const expected = JSON.parse(printed) as Record<string, number[] | number[][]>[];
    const body = await load(readModel(model));
    const found = runScript(body, script);
    body.dispose();
    expect(found.length).toBe(expected.length);
    for (const [i, each] of found.entries()) {
      for (const [what, values] of Object.entries(each)) {
        const off = difference(values, expected[i]![what]!.flat());
        if (process.env.LIMBER_SHOW) console.log(`${model}, ${name}, sample ${i}, ${what}: ${off}`);
        expect(off, `sample ${i}: ${what}`).toBeLessThan(1e-9);
      }
    }
  });
});
