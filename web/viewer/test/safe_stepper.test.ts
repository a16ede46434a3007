import { expect, test } from 'vitest';
import type { Method } from '../../runtime/src/types';
import { BodyScale } from '../src/body_scale';
import { SafeStepper } from '../src/safe_stepper';
import { FakeBody } from './fake_body';

/** The solvers that fast steps take for forces of a kind at a rank. */
function fastSolver(exact: boolean, rank: number, support = false, method: Method = 'reduced'): string {
  const body = new FakeBody();
  body.method = method;
  Object.assign(body, { info: { ...body.info, exact }, used: rank });
  const stepper = new SafeStepper(body, new BodyScale(body.surface().positions, body.reach()));
  stepper.advance(0.001, 1, 'fast', { reach: 0, support });
  return body.steps[0]?.options?.solver ?? 'direct';
}

test('cubature of many coordinates is solved without its stiffness, all else with it', () => {
  expect(fastSolver(false, 60)).toBe('cg');
  expect(fastSolver(false, 12)).toBe('direct');
  expect(fastSolver(true, 60)).toBe('direct');
});

test('modes of linear and warped bodies need no solver', () => {
  expect(fastSolver(false, 60, false, 'linear')).toBe('direct');
  expect(fastSolver(false, 60, false, 'warped')).toBe('direct');
});

test('bodies whose support moves are solved directly', () => {
  expect(fastSolver(false, 60, true)).toBe('direct');
});

test('the time is that of the body, also after it was moved otherwise', () => {
  const body = new FakeBody();
  const stepper = new SafeStepper(body, new BodyScale(body.surface().positions, body.reach()));
  expect(stepper.time).toBe(0);
  stepper.advance(0.5, 3, 'fast', { reach: 0, support: false });
  expect(stepper.time).toBe(1.5);
  body.reset();
  stepper.forget();
  expect(stepper.time).toBe(0);
});
