import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useSession } from './session';
import { comeToRest, difference, energy, picture } from './support';

const session = useSession();

/** Waits until what holds the body has gone up or down by more than `least` m. */
async function shaken(page: Page, least: number): Promise<void> {
  await page.waitForFunction((by) => Math.abs(window.limber.frame!.pose[2] ?? 0) > by, least);
}

/** Waits until it is where it was made. */
async function still(page: Page): Promise<void> {
  await page.waitForFunction(() => window.limber.frame!.pose.slice(0, 3).every((x) => x === 0));
}

test.each(['reduced', 'warped'])('a body is shaken while the button is held (%s)', async (method) => {
  const { page, errors } = await session.open('beam.glb');
  await page.getByTestId('method').selectOption(method);
  const atRest = await picture(page);
  await page.getByTestId('shake-direction').selectOption('+z');
  await page.getByTestId('shake').hover();
  await page.mouse.down();
  await shaken(page, 0.01);
  await page.mouse.move(400, 250); // off the button, on which the pointer stays nevertheless
  await shaken(page, 0.01);
  expect(await page.getByTestId('shake').getAttribute('aria-pressed')).toBe('true');
  const moved = await energy(page);
  expect(moved).toBeGreaterThan(0);
  await page.mouse.up();
  await still(page);
  expect(await page.evaluate(() => window.limber.settings.shake)).toBe(null);
  await comeToRest(page, 1e-4 * moved);
  await expect.poll(async () => difference(session.browser, atRest, await picture(page))).toBeLessThan(0.003);
  expect(errors).toEqual([]);
});

test('a key shakes the body while it is held, until it is reset', async () => {
  const { page, errors } = await session.open('heart.glb');
  await page.getByTestId('shake-direction').selectOption('+z');
  await page.keyboard.down('j');
  await shaken(page, 1e-4);
  await page.keyboard.up('j');
  await still(page);
  await page.keyboard.down('j');
  await shaken(page, 1e-4);
  await page.getByTestId('reset').click();
  await page.waitForFunction(() => window.limber.frame!.pose.length === 0);
  await page.keyboard.up('j');
  expect(await page.evaluate(() => window.limber.message)).toBe(null);
  expect(errors).toEqual([]);
});

test('a tree of domains is shaken by its root', async () => {
  const { page, errors } = await session.open('tree.glb');
  const height = (): Promise<number> =>
    page.evaluate(() => {
      const vertices = Array.from({ length: window.limber.info!.vertexCount }, (_, vertex) => vertex);
      const [root] = vertices.map((vertex) => window.limber.position(vertex)).sort((a, b) => a[0] - b[0]);
      return root![2]; // the end that is held has the least x
    });
  const before = await height();
  await page.getByTestId('shake-direction').selectOption('+z');
  await page.keyboard.down('j');
  await expect.poll(async () => Math.abs((await height()) - before)).toBeGreaterThan(0.01);
  await page.keyboard.up('j');
  await expect.poll(async () => Math.abs((await height()) - before)).toBeLessThan(1e-6);
  expect(errors).toEqual([]);
});

test('nothing shakes a body that nothing holds', async () => {
  const { page } = await session.open('free.glb');
  expect(await page.getByTestId('section-shake').isVisible()).toBe(false);
  await page.keyboard.down('j');
  expect(await page.evaluate(() => window.limber.settings.shake)).toBe(null);
  await page.keyboard.up('j');
});
