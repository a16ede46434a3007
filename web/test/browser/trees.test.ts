import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useSession } from './session';
import { difference, modelPath, picture, slide, temporaryFolder, whereIs } from './support';

const session = useSession();

/** The vertex nearest to a point, as it is now. */
async function nearest(page: Page, point: readonly [number, number, number]): Promise<number> {
  return page.evaluate((to) => {
    const distance = (vertex: number): number => {
      const [x, y, z] = window.limber.position(vertex);
      return Math.hypot(x - to[0], y - to[1], z - to[2]);
    };
    const vertices = Array.from({ length: window.limber.info!.vertexCount }, (_, vertex) => vertex);
    return vertices.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  }, point);
}

/** In the middle of the upper side of the stem. */
const stemTop = [0.4, 0.05, 0.1] as const;
/** At the end of the first twig. */
const twigEnd = [0.4, 0.4, 0.05] as const;

async function pullStem(page: Page): Promise<void> {
  const vertex = await nearest(page, stemTop);
  const start = await whereIs(page, vertex);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 20, start.y - 50, { steps: 4 });
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 1);
  await page.waitForFunction(([v, y]) => window.limber.project(v).y < y, [vertex, start.y - 8] as const);
  expect(await page.evaluate(() => window.limber.frame!.elasticEnergy)).toBeGreaterThan(0);
  await page.mouse.up();
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 0);
}

test('a tree of domains is served, shown and pulled', async () => {
  const { page, errors } = await session.open('tree.glb');
  const info = await page.evaluate(() => window.limber.info);
  expect(info?.domains.map(({ name }) => name)).toEqual(['stem', 'twig 1', 'twig 2', 'knob']);
  expect(await page.getByTestId('domain-count').textContent()).toBe('4 of 3 parts');
  for (const id of ['handles', 'material', 'vibrations', 'show', 'sketch']) {
    expect(await page.getByTestId(`section-${id}`).isVisible(), id).toBe(false);
  }
  expect(await page.getByTestId('rank').isVisible()).toBe(false);
  await pullStem(page);
  await expect.poll(() => page.getByTestId('step-time').textContent()).toMatch(/ms$/);
  expect(errors).toEqual([]);
});

test('domains are coloured, and one of them stands out', async () => {
  const { page, errors } = await session.open('tree.glb');
  const changed = (from: Buffer) => async (): Promise<number> =>
    difference(session.browser, from, await picture(page));
  const plain = await picture(page);
  await page.getByTestId('color-domains').click();
  await expect.poll(changed(plain)).toBeGreaterThan(0.01);
  const colored = await picture(page);
  await page.getByTestId('domain-list').selectOption('0');
  expect(await page.getByTestId('domain-hint').textContent()).toContain('stem');
  await expect.poll(changed(colored)).toBeGreaterThan(0.01);
  await page.getByTestId('domain-none').click();
  await expect.poll(changed(colored)).toBeLessThan(0.002);
  await page.getByTestId('color-domains').click();
  await expect.poll(changed(plain)).toBeLessThan(0.002);
  expect(errors).toEqual([]);
});

test('a domain that is made soft hangs lower', async () => {
  const { page, errors } = await session.open('tree.glb');
  const vertex = await nearest(page, twigEnd);
  const height = (): Promise<number> => page.evaluate((v) => window.limber.position(v)[2], vertex);
  const before = await height();
  await page.getByTestId('gravity').click();
  await slide(page, 'gravity-strength', 0.02);
  await page.getByTestId('domain-list').selectOption('1');
  await page.getByTestId('domain-part').click();
  await slide(page, 'domain-stiffness', 0);
  await expect.poll(height).toBeLessThan(before - 0.01);
  await page.getByTestId('inertia').selectOption('center');
  await page.waitForFunction(() => window.limber.settings.inertia === 'center');
  await page.getByTestId('domain-reset').click();
  expect(await page.evaluate(() => window.limber.message)).toBe(null);
  expect(errors).toEqual([]);
});

test('an exported page of a tree opens from disk', async () => {
  const folder = temporaryFolder();
  try {
    const file = join(folder.path, 'tree.html');
    execFileSync(inject('limber'), ['export', modelPath('tree.glb'), '-o', file]);
    const { page, errors } = await session.openAddress(`file://${file}`);
    await pullStem(page);
    expect(errors).toEqual([]);
  } finally {
    folder.remove();
  }
});
