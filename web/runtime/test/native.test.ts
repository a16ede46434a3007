import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { load, type Quaternion, type Vector3 } from '../src/index';
import { models, needsReference, readModel, reference, temporaryFile } from './models';
import { runScript, type Action, type Sample } from './script';

const tip = 8; // a vertex at the free end
const top: Vector3 = [0.45, 0.1, 0.3];

const hands: Action[] = [
  { action: 'damping', mass: 0.2, stiffness: 0.002 },
  { action: 'gravity', value: [0, 0, -9.81] },
  { action: 'step', h: 0.002, count: 50 },
  { action: 'sample', vertex: tip },
  { action: 'pulls', value: [{ vertex: tip, target: top, stiffness: 500 }] },
  { action: 'step', h: 0.002, count: 100 },
  { action: 'sample', vertex: tip, pulls: 1 },
  { action: 'material', region: 1, young: 3e5 },
  { action: 'material', region: 0, density: 700, poisson: 0.35 },
  { action: 'step', h: 0.001, count: 100 },
  { action: 'sample', vertex: tip, pulls: 1 },
];
const turned: Quaternion = [Math.sin(0.2), 0, 0, Math.cos(0.2)]; // by 0.4 rad about x
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
  {
    action: 'frame',
    acceleration: [0, 1, 0],
    angularVelocity: [0.2, 0, 1],
    angularAcceleration: [0, 0.5, 0],
  },
  { action: 'material', region: 1, young: 2e5 },
  { action: 'rank', value: 8 },
  { action: 'step', h: 0.002, count: 30 },
  { action: 'sample', vertex: tip },
  { action: 'method', value: 'nonlinear' },
  { action: 'step', h: 0.0005, count: 10 },
  { action: 'sample', vertex: tip },
];
const scripts: Record<string, Action[]> = {
  'warped modes with handles': handled,
  'pulls and edits of materials': hands,
  'steps that iterate': [
    { action: 'force', vertex: tip, value: [0, 1, 3] },
    { action: 'force', vertex: 2, value: [0, -1, 0] },
    { action: 'step', h: 0.01, count: 40, iterations: 20 },
    { action: 'sample', vertex: tip },
    { action: 'clear_forces' },
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
    { action: 'method', value: 'nonlinear' },
    { action: 'rank', value: 9 },
    { action: 'step', h: 0.002, count: 50 },
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

/** Largest difference as a share of the largest number. */
function difference(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  const scale = Math.max(...expected.map(Math.abs));
  const worst = Math.max(...found.map((x, i) => Math.abs(x - expected[i]!)));
  return worst === 0 ? 0 : worst / scale;
}

function numbers(sample: Sample): [string, readonly number[]][] {
  return [
    ['q', sample.q],
    ['v', sample.v],
    ['energy', [sample.time, sample.elastic, sample.kinetic]],
    ['position', sample.position],
    ['orientation', sample.orientation],
    ['stiffness', [sample.stiffness]],
    ['frequencies', sample.frequencies],
    ['mode', sample.mode],
    ['pulls', [1, ...sample.pulls.flat()]],
  ];
}

describe.skipIf(needsReference)(`WebAssembly gives what the native runtime gives${needsReference}`, () => {
  for (const model of ['exact', 'cubature'] as const) {
    it.each(Object.keys(scripts))(`for ${model} forces: %s`, async (name) => {
      const script = scripts[name]!;
      const path = temporaryFile('script.json', JSON.stringify(script));
      const printed = execFileSync(reference!, [models()[model], path], { encoding: 'utf8' });
      const expected = JSON.parse(printed) as Sample[];
      const body = await load(readModel(model));
      const found = runScript(body, script);
      body.dispose();
      expect(found.length).toBe(expected.length);
      for (const [i, each] of found.entries()) {
        const native = new Map(numbers(expected[i]!));
        for (const [what, values] of numbers(each)) {
          const off = difference(values, native.get(what)!);
          if (process.env.LIMBER_SHOW) console.log(`${model}, ${name}, sample ${i}, ${what}: ${off}`);
          expect(off, `sample ${i}: ${what}`).toBeLessThan(1e-9);
        }
      }
    });
  }
});
