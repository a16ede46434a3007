import { beforeEach, describe, expect, it } from 'vitest';
import type { Vector3 } from '../../runtime/src/types';
import { SketchRecorder } from '../src/sketch';
import { frameWith } from './fake_body';

const rest = new Float32Array([0, 0, 0, 1, 2, 3]);
let recorder: SketchRecorder;

beforeEach(() => {
  recorder = new SketchRecorder();
});

interface Given {
  id?: number;
  vertex?: number;
  force: Vector3;
}

function add(...pulls: Given[]): boolean {
  return addPosed([], ...pulls);
}

function addPosed(pose: number[], ...pulls: Given[]): boolean {
  const away: Vector3 = [9, 9, 9];
  const all = pulls.map(({ id = 0, vertex = 1, force }) => ({
    id,
    vertex,
    force,
    point: away,
    target: away,
  }));
  return recorder.add(frameWith({ pose, pulls: all }), rest);
}

function forces(): { at: number[]; force: number[] }[] {
  const sketch = JSON.parse(recorder.encode()) as { forces: { at: number[]; force: number[] }[] };
  return sketch.forces;
}

describe('a sketch', () => {
  it('holds forces in the axes of the rest shape, however the body has turned', () => {
    addPosed([5, 5, 5, 0, 0, Math.SQRT1_2, Math.SQRT1_2], { force: [0, 2, 1] }); // a quarter about z
    expect(forces()[0]!.force).toEqual([2, 0, 1].map((x) => expect.closeTo(x, 6) as number));
  });

  it('holds the force and the place in the rest shape', () => {
    add({ force: [1, 0, -2] });
    expect(JSON.parse(recorder.encode())).toEqual({
      format: 'limber sketch',
      version: 1,
      forces: [{ at: [1, 2, 3], force: [1, 0, -2] }],
    });
  });

  it('leaves out forces that hardly differ from the last one kept', () => {
    for (const x of [100, 101, 102, 104, 105]) add({ force: [x, 0, 0] });
    expect(forces().map(({ force }) => force[0])).toEqual([100, 104]);
  });

  it('keeps a small force at another vertex', () => {
    add({ force: [100, 0, 0] });
    add({ vertex: 0, force: [0.1, 0, 0] });
    expect(forces().map(({ at }) => at)).toEqual([
      [1, 2, 3],
      [0, 0, 0],
    ]);
  });

  it('keeps a pull that begins anew at the same vertex', () => {
    add({ force: [100, 0, 0] });
    add();
    add({ force: [100, 0, 0] });
    expect(recorder.count).toBe(2);
  });

  it('holds pulls at the same time as forces of their own', () => {
    add({ id: 0, vertex: 0, force: [1, 0, 0] }, { id: 1, vertex: 1, force: [0, 1, 0] });
    expect(forces()).toEqual([
      { at: [0, 0, 0], force: [1, 0, 0] },
      { at: [1, 2, 3], force: [0, 1, 0] },
    ]);
  });

  it('leaves out a pull without force and numbers that are not finite', () => {
    add({ force: [0, 0, 0] }, { id: 1, force: [NaN, 0, 0] });
    add({ vertex: 7, force: [1, 0, 0] });
    expect(recorder.count).toBe(0);
  });

  it('ends at 20,000 forces', () => {
    for (let i = 0; i < 20_010; ++i) add({ force: [i % 2 === 0 ? 1 : -1, 0, 0] });
    expect(recorder.count).toBe(20_000);
    expect(recorder.full).toBe(true);
  });

  it('says once that it is full', () => {
    const said: number[] = [];
    for (let i = 1; i <= 20_010; ++i) if (add({ force: [i % 2 === 0 ? 1 : -1, 0, 0] })) said.push(i);
    expect(said).toEqual([20_000]);
  });

  it('writes negative zero as zero and large numbers with an exponent', () => {
    add({ force: [-0, 2e17, 1e-9] });
    expect(recorder.encode()).toContain('"force": [0, 2e+17, 1e-9]');
  });

  it('without forces is not written', () => {
    add({ force: [1, 0, 0] });
    recorder.clear();
    expect(() => recorder.encode()).toThrow('Nothing was recorded');
  });
});
