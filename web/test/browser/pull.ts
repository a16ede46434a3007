import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import { middle, type Viewer } from './chromium';
import { comeToRest, difference, energy, picture, whereIs } from './support';

/** Pulls the body with the mouse, sees it follow, lets go and sees it come to rest: what every page of the viewer must do. */
export async function pullAndLetGo(browser: Browser, { page, errors }: Viewer): Promise<void> {
  const atRest = await picture(page);
  const start = await middle(page);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 60, start.y - 40, { steps: 4 });
  await page.mouse.move(start.x + 120, start.y - 80, { steps: 4 });
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 1);
  const vertex = await page.evaluate(() => window.limber.frame!.pulls[0]!.vertex);

  // The vertex follows the hand, as far as the body lets it.
  await page.waitForFunction(([v, x]) => window.limber.project(v).x > x, [vertex, start.x + 15] as const);
  const pulled = await energy(page);
  expect(pulled).toBeGreaterThan(0);
  expect(await difference(browser, atRest, await picture(page))).toBeGreaterThan(0.01);

  await page.mouse.up();
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 0);
  await comeToRest(page, 1e-4 * pulled);
  const end = await whereIs(page, vertex);
  expect(Math.hypot(end.x - start.x, end.y - start.y)).toBeLessThan(12); // the vertex nearest to the pointer
  await expect.poll(async () => difference(browser, atRest, await picture(page))).toBeLessThan(0.003);
  expect(errors).toEqual([]);
}
