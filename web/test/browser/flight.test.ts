import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useSession } from './session';
import { difference, extent, picture, whereIs } from './support';

const session = useSession();

/** How far the body has flown, m. */
const flown = (page: Page): Promise<number> =>
  page.evaluate(() => Math.hypot(...window.limber.frame!.shift!));

/** Drags the middle of the body to the right until it has come along, and lets go; the clock stands still then. */
async function throwIt(page: Page): Promise<void> {
  const { x, y } = await extent(page);
  const from = await whereIs(page, 0);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 150, y - 60, { steps: 8 });
  await page.waitForFunction((start) => {
    const moved = window.limber.project(0).x > start + 60;
    if (moved) window.limber.set({ paused: true });
    return moved;
  }, from.x);
  await page.mouse.up();
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 0);
}

test('a body that nothing holds flies when it is thrown, and the camera follows', async () => {
  const { page, errors } = await session.open('free.glb');
  const atRest = await picture(page);
  const middle = await extent(page);
  expect(await page.getByTestId('follow').isChecked()).toBe(true);
  for (const id of ['rank', 'young-0', 'method']) expect(await page.getByTestId(id).count(), id).toBe(1);
  await throwIt(page);
  const before = await flown(page);
  await page.evaluate(() => {
    window.limber.set({ paused: false });
  });
  await expect.poll(() => flown(page)).not.toBe(before);
  expect(await page.evaluate(() => window.limber.frame!.pose.length)).toBe(7);
  await expect.poll(async () => Math.abs((await extent(page)).x - middle.x)).toBeLessThan(30);
  await page.getByTestId('reset').click();
  await expect.poll(async () => difference(session.browser, atRest, await picture(page))).toBeLessThan(0.003);
  expect(errors).toEqual([]);
});

test('a body that nothing holds is thrown by warped modes, too, and its handles keep positions', async () => {
  const { page, errors } = await session.open('free.glb');
  await page.getByTestId('method').selectOption('warped');
  await page.waitForFunction(() => window.limber.frame?.warped === true);
  const { x, y } = await extent(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 40, { steps: 5 });
  await expect.poll(() => page.evaluate(() => window.limber.frame!.handles.length)).toBe(1);
  await expect.poll(() => flown(page)).toBeGreaterThan(0.01);
  await page.mouse.up();
  await expect.poll(() => page.evaluate(() => window.limber.frame!.handles.length)).toBe(0);
  await page.getByTestId('reset').click();
  await page.waitForFunction(() => Math.hypot(...window.limber.frame!.shift!) < 1e-6);

  await page.evaluate(() => {
    window.limber.set({ paused: true });
  });
  await page.getByTestId('handle-add').click();
  await page.mouse.click(x, y);
  await expect
    .poll(() => page.evaluate(() => window.limber.frame!.handles.map(({ hold }) => hold)))
    .toEqual(['position']);
  await expect.poll(() => page.getByTestId('handle-row').count()).toBe(1);
  expect(await page.getByTestId('handle-row').locator('select').isDisabled()).toBe(true);
  expect(await page.getByTestId('handle-priority').isDisabled()).toBe(true);
  expect(await page.evaluate(() => window.limber.message)).toBeNull();
  expect(errors).toEqual([]);
});

test('a body that is not followed is drawn where it is, and framed there', async () => {
  const { page, errors } = await session.open('free.glb');
  const start = await extent(page);
  const atRest = await picture(page);
  await page.getByTestId('follow').click();
  await throwIt(page);
  expect((await extent(page)).x).toBeGreaterThan(start.x + 30);
  expect(await difference(session.browser, atRest, await picture(page))).toBeGreaterThan(0.02);
  await page.keyboard.press('f');
  await expect.poll(async () => Math.abs((await extent(page)).x - start.x)).toBeLessThan(30);
  expect(errors).toEqual([]);
});

test('a body that nothing holds is dropped, lands on the ground and is shown to touch it', async () => {
  const { page, errors } = await session.open('free.glb');
  expect(await page.getByTestId('ground').isChecked()).toBe(true);
  const height = (): Promise<number> => page.evaluate(() => window.limber.frame!.shift![2]);
  const touching = (): Promise<number> => page.evaluate(() => window.limber.frame!.contacts.length);
  await page.getByTestId('contacts').click();
  await page.getByTestId('obstacle').click();
  await page.evaluate(() => {
    window.limber.set({ speed: 0.1 }); // so that it is seen on its way
  });
  await page.getByTestId('drop').click();
  expect(await page.getByTestId('gravity').isChecked()).toBe(true);
  await expect.poll(height).toBeGreaterThan(0);
  await page.evaluate(() => {
    window.limber.set({ speed: 1 });
  });
  await expect.poll(touching).toBeGreaterThan(0);
  await expect.poll(async () => Math.abs(await height())).toBeLessThan(0.01);

  // It is pulled while it touches, and where the motion cannot touch the page says so.
  const { x, y } = await extent(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 20, y - 80, { steps: 4 });
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 1);
  await page.mouse.up();
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 0);
  await expect.poll(async () => Math.abs(await height())).toBeLessThan(0.05);
  await page.getByTestId('method').selectOption('warped');
  await expect.poll(() => page.getByText('Warped modes do not touch').count()).toBe(1);
  await expect.poll(touching).toBe(0);
  expect(await page.evaluate(() => window.limber.message)).toBeNull();
  expect(errors).toEqual([]);
});
