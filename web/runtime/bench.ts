// npm run bench -- [--json] [--seconds S] [--rounds N] [--handle VERTEX] MODEL.glb ...
//
// Steps per second of the WebAssembly runtime and of the native one (LIMBER_REFERENCE: the path of live_reference) with 15, 30 and
// 60 coordinates of each model, one thread each, per second of processor time: other work on the machine does not count. Both take turns,
// so that a change of its clock meets both; medians. With --handle by warped modes, with a handle at that vertex which moves at each step.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { load, type Body } from './src/index';

const timeStep = 0.001; // s
const batch = 20; // steps between two looks at the clock

interface Row {
  readonly model: string;
  readonly rank: number;
  readonly native: number;
  readonly wasm: number;
  /** Time of a WebAssembly step in native steps. */
  readonly ratio: number;
}

/** Moves a vertex up and down by a tenth of the body's size, from step to step. */
function handleMover(body: Body, vertex: number): () => void {
  const { positions } = body.surface();
  const [x, y, z] = [...positions.subarray(3 * vertex, 3 * vertex + 3)] as [number, number, number];
  const extents = [0, 1, 2].map((axis) => {
    const values = positions.filter((_, i) => i % 3 === axis);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  });
  const amplitude = 0.1 * Math.hypot(...extents);
  let step = 0;
  return () => {
    const position = [x, y, z + amplitude * Math.sin(10 * timeStep * step++)] as const;
    body.setHandles([{ vertex, position }]);
  };
}

/** As live_reference does it. */
function stepsPerSecond(body: Body, rank: number, seconds: number, handle: number | null): number {
  body.reset();
  body.setRank(rank);
  body.setGravity([0, 0, -9.81]);
  body.setDamping({ mass: 0.1, stiffness: 0.001 });
  let advance = () => {
    body.step(timeStep, batch);
  };
  if (handle !== null) {
    body.setMethod('warped');
    const move = handleMover(body, handle);
    advance = () => {
      for (let i = 0; i < batch; ++i) {
        move();
        body.step(timeStep);
      }
    };
  }
  advance();
  const start = process.cpuUsage();
  const elapsed = () => process.cpuUsage(start).user / 1e6;
  let steps = 0;
  for (; elapsed() < seconds; steps += batch) advance();
  return steps / elapsed();
}

function nativeStepsPerSecond(
  program: string,
  model: string,
  rank: number,
  seconds: number,
  handle: number | null,
): number {
  const words = ['--time', model, String(rank), String(timeStep), String(seconds)];
  if (handle !== null) words.push(String(handle));
  return Number(execFileSync(program, words, { encoding: 'utf8' }));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function measure(
  program: string,
  model: string,
  seconds: number,
  rounds: number,
  handle: number | null,
): Promise<Row[]> {
  const body = await load(new Uint8Array(readFileSync(model)));
  stepsPerSecond(body, Math.min(15, body.info.rank), seconds, handle); // lets the engine compile with all optimisations
  const rows: Row[] = [];
  for (const rank of [15, 30, 60].filter((r) => r <= body.info.rank)) {
    const native: number[] = [];
    const wasm: number[] = [];
    for (let i = 0; i < rounds; ++i) {
      native.push(nativeStepsPerSecond(program, model, rank, seconds, handle));
      wasm.push(stepsPerSecond(body, rank, seconds, handle));
    }
    const ratio = median(native) / median(wasm);
    rows.push({ model: basename(model), rank, native: median(native), wasm: median(wasm), ratio });
  }
  body.dispose();
  return rows;
}

function print(rows: readonly Row[]): void {
  console.log('model                     r    native/s      wasm/s   ratio');
  for (const { model, rank, native, wasm, ratio } of rows) {
    const numbers = [String(rank).padStart(3), native.toFixed(0).padStart(11), wasm.toFixed(0).padStart(11)];
    console.log(model.padEnd(24), ...numbers, ratio.toFixed(2).padStart(7));
  }
}

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '0.3' },
    rounds: { type: 'string', default: '5' },
    handle: { type: 'string' },
  },
  allowPositionals: true,
});
const program = process.env.LIMBER_REFERENCE;
if (program === undefined || positionals.length === 0) {
  console.error('usage: LIMBER_REFERENCE=.../live_reference npm run bench -- [--json] MODEL.glb ...');
  process.exit(1);
}
const rows: Row[] = [];
const handle = values.handle === undefined ? null : Number(values.handle);
for (const model of positionals) {
  rows.push(...(await measure(program, model, Number(values.seconds), Number(values.rounds), handle)));
}
if (values.json) console.log(JSON.stringify(rows));
else print(rows);
