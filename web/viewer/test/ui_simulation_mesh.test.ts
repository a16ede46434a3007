import { expect, it } from 'vitest';
import type { SimulationMesh } from '../../runtime/src/types';
import { MeshOnDemand } from '../src/ui/simulation_mesh';
import { FakeBody } from './fake_body';

function make() {
  const answers: ((mesh: SimulationMesh | Error) => void)[] = [];
  const shown: (SimulationMesh | null)[] = [];
  const errors: unknown[] = [];
  const mesh = new MeshOnDemand(
    () =>
      new Promise((resolve, reject) => {
        answers.push((answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      }),
    (value) => shown.push(value),
    (error) => errors.push(error),
  );
  return { mesh, answers, shown, errors };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const answer = new FakeBody().simulationMesh();

it('the simulation mesh is fetched once', async () => {
  const { mesh, answers, shown } = make();
  mesh.want();
  answers[0]!(answer);
  await settle();
  mesh.want();
  expect(answers).toHaveLength(1);
  expect(shown).toEqual([answer]);
});

it('a simulation mesh that cannot be had is told', async () => {
  const { mesh, answers, errors } = make();
  mesh.want();
  answers[0]!(new Error('No.'));
  await settle();
  expect(errors).toHaveLength(1);
});
