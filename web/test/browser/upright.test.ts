// Surfaces become bodies that stand, whichever axis is up in their files.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { serve } from './chromium';
import { useSession } from './session';
import { modelPath, projections, temporaryFolder } from './support';

const session = useSession();

/** Few vibrations: nobody looks at more. */
const quick = ['--modes', '4', '--rank', '6', '--target-elements', '1500'];
const cases = [
  { file: 'tall_z.off', options: [], up: 'z' },
  { file: 'tall_y.off', options: ['--up', 'y'], up: 'y' },
] as const;

/** CSS pixels of the body, as it stands on the page. */
async function shape(page: Parameters<typeof projections>[0]): Promise<{ width: number; height: number }> {
  const points = await projections(page);
  const span = (values: number[]): number => Math.max(...values) - Math.min(...values);
  return { width: span(points.map((p) => p.x)), height: span(points.map((p) => p.y)) };
}

test.each(cases)('$file stands in the viewer, and gravity pulls it to the ground', async (one) => {
  const server = await serve(inject('limber'), modelPath(one.file), ...one.options, ...quick);
  const { page } = await session.openAddress(server.url);
  const { width, height } = await shape(page);
  expect(height).toBeGreaterThan(1.7 * width);
  await page.getByTestId('gravity').click();
  await page.waitForFunction(() => window.limber.settings.gravity.some((x) => x !== 0));
  const gravity = await page.evaluate(() => window.limber.settings.gravity);
  expect(gravity.map(Math.sign)).toEqual(['x', 'y', 'z'].map((axis) => (axis === one.up ? -1 : 0)));
  expect(await server.stop()).toBe(0);
});

test.each(cases)('$file stands in an exported page, which never asks for a file', async (one) => {
  const file = join(temporaryFolder().path, 'tall.html');
  const args = ['export', modelPath(one.file), '-o', file, ...one.options, ...quick];
  execFileSync(inject('limber'), args, { stdio: 'pipe' });
  const { page } = await session.openAddress(`file://${file}`);
  const { width, height } = await shape(page);
  expect(height).toBeGreaterThan(1.7 * width);
  expect(await page.getByTestId('opening').isVisible()).toBe(false);
  await page.getByTestId('mode').selectOption('0');
  await page.getByTestId('playing').waitFor({ state: 'visible' });
  expect(await page.getByTestId('playing').textContent()).toContain('vibration 1 of');
});
