import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { middle } from './chromium';
import { useSession } from './session';
import { difference, energy, extent, pause, picture } from './support';

const session = useSession();

/** A corner of the canvas, where no body is. */
async function corner(page: Page): Promise<{ x: number; y: number }> {
  const box = (await page.locator('canvas').first().boundingBox())!;
  return { x: box.x + 20, y: box.y + box.height - 20 };
}

describe('the camera', () => {
  test('turns when the drag starts beside the body', async () => {
    const { page } = await session.open('beam.glb');
    const before = await page.evaluate(() => window.limber.project(0));
    const { x, y } = await corner(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 140, y, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction((from) => {
      const now = window.limber.project(0);
      return Math.hypot(now.x - from.x, now.y - from.y) > 10;
    }, before);
    expect(await energy(page)).toBe(0);
  });

  test('zooms by the wheel', async () => {
    const { page } = await session.open('beam.glb');
    const { width } = await extent(page);
    const { x, y } = await middle(page);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -240);
    await expect.poll(async () => (await extent(page)).width).toBeGreaterThan(1.2 * width);
    await page.mouse.wheel(0, 240);
    await page.mouse.wheel(0, 240);
    await expect.poll(async () => (await extent(page)).width).toBeLessThan(0.9 * width);
  });

  test('pans with the right button, from the body too', async () => {
    const { page } = await session.open('beam.glb');
    const before = await extent(page);
    const { x, y } = await middle(page);
    await page.mouse.move(x, y);
    await page.mouse.down({ button: 'right' });
    await page.mouse.move(x + 60, y + 40, { steps: 4 });
    await page.mouse.up({ button: 'right' });
    await expect.poll(async () => (await extent(page)).x - before.x).toBeGreaterThan(40);
    await expect.poll(async () => (await extent(page)).y - before.y).toBeGreaterThan(25);
    expect(await energy(page)).toBe(0);
  });

  test('zooms when two fingers part', async () => {
    const { page, context } = await session.open('beam.glb', { hasTouch: true });
    const { width } = await extent(page);
    const { x, y } = await corner(page);
    const input = await context.newCDPSession(page);
    const touch = async (type: 'touchStart' | 'touchMove', ...xs: number[]): Promise<void> => {
      const touchPoints = xs.map((at, id) => ({ x: at, y, id }));
      await input.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    await touch('touchStart', x);
    await touch('touchStart', x, x + 60);
    await page.waitForTimeout(200); // for the answers that no body is there
    for (const apart of [70, 80, 90, 100, 110, 120]) await touch('touchMove', x, x + apart);
    await expect.poll(async () => (await extent(page)).width).toBeGreaterThan(1.4 * width);
    await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect(await energy(page)).toBe(0);
  });
});

describe('the picture', () => {
  test('shows overlays', async () => {
    const { page, errors } = await session.open('heart.glb');
    const changed = (from: Buffer) => async (): Promise<number> =>
      difference(session.browser, from, await picture(page));
    for (const overlay of ['show-mesh', 'show-cubature', 'show-fixed']) {
      const without = await picture(page);
      await page.getByTestId(overlay).click();
      await expect.poll(changed(without)).toBeGreaterThan(0.0002);
      await page.getByTestId(overlay).click();
      await expect.poll(changed(without)).toBeLessThan(0.0002);
    }
    expect(errors).toEqual([]);
  });

  test('is light or dark as the system says, until a key changes it', async () => {
    const { page } = await session.open('beam.glb', { colorScheme: 'light' });
    const light = await picture(page);
    const dark = await picture((await session.open('beam.glb', { colorScheme: 'dark' })).page);
    expect(await difference(session.browser, light, dark)).toBeGreaterThan(0.5);
    await page.keyboard.press('t');
    await expect.poll(async () => difference(session.browser, dark, await picture(page))).toBeLessThan(0.003);
  });

  test('is the same after the graphics device was lost', async () => {
    const { page } = await session.open('beam.glb');
    const atRest = await picture(page);
    await page.getByTestId('gravity').click();
    await page.waitForFunction(() => window.limber.frame!.elasticEnergy > 0.1);
    await pause(page);
    await page.waitForTimeout(1000); // shadows may lag behind
    const bent = await picture(page);
    expect(await difference(session.browser, atRest, bent)).toBeGreaterThan(0.01);
    await page.evaluate(async () => {
      const canvas = document.querySelector('canvas')!;
      const device = canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context')!;
      const happened = (event: string): Promise<unknown> =>
        new Promise((resolve) => {
          canvas.addEventListener(event, resolve, { once: true });
        });
      const [lost, restored] = [happened('webglcontextlost'), happened('webglcontextrestored')];
      device.loseContext();
      await lost;
      setTimeout(() => {
        device.restoreContext();
      });
      await restored;
    });
    await page.waitForTimeout(1000); // until it is drawn
    expect(await difference(session.browser, bent, await picture(page))).toBeLessThan(0.003);
  });
});

describe('the page', () => {
  test('pauses by the space bar', async () => {
    const { page } = await session.open('beam.glb');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.limber.settings.paused);
  });

  test('opens and closes its help', async () => {
    const { page } = await session.open('beam.glb');
    for (const closing of ['?', 'Escape']) {
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      await page.keyboard.press(closing);
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
  });

  test('cuts nothing off at phone width', async () => {
    const { page } = await session.open('beam.glb', { viewport: { width: 360, height: 740 } });
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });
});
