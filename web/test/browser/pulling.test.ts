import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { middle } from './chromium';
import { pullAndLetGo } from './pull';
import { useSession } from './session';
import { difference, modelPath, picture, slide, temporaryFolder } from './support';

const session = useSession();

/** N, of the only pull. */
async function pullForce(page: Page): Promise<number> {
  return page.evaluate(() => Math.hypot(...window.limber.frame!.pulls[0]!.force));
}

test('a served model is shown, and the page asks for nothing but itself and the model', async () => {
  const { page, requests, errors } = await session.open('octopus.glb');
  const info = await page.evaluate(() => window.limber.info);
  expect(info?.rank).toBe(15);
  expect(await page.title()).toContain('octopus');
  await page.evaluate(() => window.limber.open(null));
  const empty = await picture(page);
  await page.reload();
  await page.evaluate(() => window.limber.ready);
  expect(await difference(session.browser, empty, await picture(page))).toBeGreaterThan(0.05);
  const { origin } = new URL(page.url());
  expect(requests.filter((url) => !url.startsWith(origin) && !/^(data|blob):/.test(url))).toEqual([]);
  expect(errors).toEqual([]);
});

test('a body follows the mouse and comes to rest', async () => {
  await pullAndLetGo(session.browser, await session.open('beam.glb'));
});

test('a body follows a finger', async () => {
  const { page, context, errors } = await session.open('octopus.glb', {
    hasTouch: true,
    viewport: { width: 390, height: 844 },
  });
  const input = await context.newCDPSession(page);
  const { x, y } = await middle(page);
  await input.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  for (const share of [0.25, 0.5, 0.75, 1]) {
    await input.send('Input.dispatchTouchEvent', {
      type: 'touchMove',
      touchPoints: [{ x: x + 60 * share, y: y - 60 * share }],
    });
  }
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 1);
  await page.waitForFunction(() => window.limber.frame!.elasticEnergy > 0);
  await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 0);
  expect(errors).toEqual([]);
});

test('the strength changes the force of a pull that is held', async () => {
  const { page } = await session.open('beam.glb');
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y - 40, { steps: 4 });
  await page.waitForFunction(() => (window.limber.frame?.pulls[0]?.force[2] ?? 0) !== 0);
  await slide(page, 'strength', 1);
  await page.waitForTimeout(500); // the body follows
  const strong = await pullForce(page);
  await slide(page, 'strength', 0); // 1/1000 of it; the springs of body and pull stand in a row
  await expect.poll(() => pullForce(page)).toBeLessThan(0.5 * strong);
  const weak = await pullForce(page);
  await slide(page, 'strength', 1);
  await expect.poll(() => pullForce(page)).toBeGreaterThan(2 * weak);
});

test('an exported page opens from disk and passes the same test', async () => {
  const folder = temporaryFolder();
  try {
    const file = join(folder.path, 'octopus.html');
    execFileSync(inject('limber'), ['export', modelPath('octopus.glb'), '-o', file]);
    const viewer = await session.openAddress(`file://${file}`);
    await pullAndLetGo(session.browser, viewer);
    expect(viewer.requests.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
  } finally {
    folder.remove();
  }
});
