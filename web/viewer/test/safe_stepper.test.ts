import { expect, test } from 'vitest';
import { BodyScale } from '../src/body_scale';
import { SafeStepper } from '../src/safe_stepper';
import { FakeBody } from './fake_body';

/** The solvers that fast steps take for forces of a kind at a rank. */
function fastSolver(exact: boolean, rank: number): string {
  const body = new FakeBody();
  Object.assign(body, { info: { ...body.info, exact }, used: rank });
  new SafeStepper(body, new BodyScale(body.surface().positions, body.reach())).advance(0.001, 1, 'fast', 0);
  return body.steps[0]?.options?.solver ?? 'direct';
}

test('cubature of many coordinates is solved without its stiffness, all else with it', () => {
  expect(fastSolver(false, 60)).toBe('cg');
  expect(fastSolver(false, 12)).toBe('direct');
  expect(fastSolver(true, 60)).toBe('direct');
});
