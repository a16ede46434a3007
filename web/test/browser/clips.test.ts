// Clips: motions that were recorded are played in place of bodies.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { clipGlb } from '../../viewer/test/clip_glb';
import { useSession } from './session';
import {
  difference,
  drop,
  modelBytes,
  modelPath,
  picture,
  shownMessage,
  slide,
  temporaryFolder,
} from './support';

const session = useSession();

/** m: how high the first vertex is at some times of the clip. */
async function heights(page: Page, times: readonly number[]): Promise<number[]> {
  return page.evaluate(
    (all) =>
      all.map((time) => {
        window.limber.setClip({ time, paused: true });
        return window.limber.clipPosition(0, 0)[1];
      }),
    times,
  );
}

/** What of the page says that it is ready, and for what. */
const readyFor = async (page: Page): Promise<string | null> =>
  page.locator('html').getAttribute('data-ready');

test('a clip plays upright, in a loop, with its name and length', async () => {
  const { page, errors, requests } = await session.open('thrown.glb');
  expect(await readyFor(page)).toBe('clip');
  expect(await page.getByTestId('model-name').textContent()).toBe('thrown');
  expect(await page.getByTestId('clip-time-text').textContent()).toMatch(/ \/ 0\.500 s$/);
  const clip = await page.evaluate(() => window.limber.clip!);
  expect(clip).toMatchObject({ parts: ['motion'], paused: false });
  expect(clip.length).toBeCloseTo(0.5, 2);

  // It was thrown along z at 4 m/s: y of the clip. Up first, and down again.
  const seen = await page.evaluate(async () => {
    const times: number[] = [];
    for (let i = 0; i < 200 && times.length < 2; ++i) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { time } = window.limber.clip!;
      if (times.length === 0 || time < times[0]!) times.push(time);
    }
    return times;
  });
  expect(seen.length, 'it does not begin again').toBe(2);
  const [start, middle, end] = await heights(page, [0, 0.25, 0.5]);
  for (const [height, time] of [
    [middle!, 0.25],
    [end!, 0.5],
  ] as const)
    expect(height - start!).toBeCloseTo(4 * time - (9.81 / 2) * time * time, 1);
  expect(errors).toEqual([]);
  expect(requests.every((url) => url.startsWith('http://127.0.0.1:') || url.startsWith('blob:'))).toBe(true);
});

test('the picture of a clip follows its slider, its keys and its buttons', async () => {
  const { page } = await session.open('thrown.glb');
  await page.getByTestId('clip-play').click();
  await slide(page, 'clip-time', 0);
  await page.waitForTimeout(500);
  const before = await picture(page);
  await slide(page, 'clip-time', 0.8);
  expect(await page.evaluate(() => window.limber.clip!.time)).toBeCloseTo(0.4, 2);
  await expect
    .poll(async () => difference(session.browser, before, await picture(page)))
    .toBeGreaterThan(0.02);
  await page.getByTestId('clip-reset').click();
  expect(await page.evaluate(() => window.limber.clip!.time)).toBe(0);
  await page.getByTestId('clip-step').click();
  expect(await page.evaluate(() => window.limber.clip!.time)).toBeCloseTo(1 / 60, 3);
  await page.locator('canvas').first().focus();
  await page.keyboard.press('Space');
  await page.waitForFunction(() => !window.limber.clip!.paused);
});

test('all of the motion is in the picture', async () => {
  const { page } = await session.open('thrown.glb');
  const box = (await page.locator('canvas').first().boundingBox())!;
  for (const time of [0, 0.25, 0.4, 0.5]) {
    const places = await page.evaluate((to) => {
      window.limber.setClip({ time: to, paused: true });
      const { vertexCount } = window.limber.clip!.objects[0]!;
      return Array.from({ length: vertexCount }, (_, vertex) =>
        window.limber.projectPoint(window.limber.clipPosition(0, vertex)),
      );
    }, time);
    for (const { x, y } of places) {
      expect(x).toBeGreaterThan(box.x);
      expect(x).toBeLessThan(box.x + box.width);
      expect(y).toBeGreaterThan(box.y);
      expect(y).toBeLessThan(box.y + box.height);
    }
  }
});

test('a clip that is dropped takes the place of bodies, and a body that of a clip', async () => {
  const { page } = await session.open('beam.glb');
  expect(await readyFor(page)).toBe('bodies');
  await drop(page, modelBytes('thrown.glb'), 'thrown.glb');
  await page.locator('html[data-ready="clip"]').waitFor({ state: 'attached' });
  expect(await page.evaluate(() => window.limber.bodies.length)).toBe(0);
  expect(await page.locator('#transport').isVisible()).toBe(false);
  expect(await page.locator('#panel').isVisible()).toBe(false);
  await drop(page, modelBytes('beam.glb'), 'beam.glb');
  await page.locator('html[data-ready="bodies"]').waitFor({ state: 'attached' });
  expect(await page.evaluate(() => window.limber.clip)).toBeNull();
  expect(await page.locator('#panel').isVisible()).toBe(true);
});

test('a clip of another program plays from an exported page, which needs no server', async () => {
  const folder = temporaryFolder();
  try {
    const [clip, html] = [join(folder.path, 'slide.glb'), join(folder.path, 'slide.html')];
    const translations = [
      [0, 0, 0],
      [2, 0, 0],
    ];
    const bytes = clipGlb({ translations, weights: [0, 1], generator: 'another program' });
    writeFileSync(clip, Buffer.from(bytes));
    execFileSync(inject('limber'), ['export', clip, '-o', html], { stdio: 'pipe' });
    const { page, errors, requests } = await session.openAddress(`file://${html}`);
    expect(await readyFor(page)).toBe('clip');
    await page.evaluate(() => {
      window.limber.setClip({ time: 0.5, paused: true });
    });
    const place = await page.evaluate(() => window.limber.clipPosition(0, 0));
    expect(place).toEqual([1, 0.5, 0]);
    expect(errors).toEqual([]);
    expect(requests.filter((url) => !/^(file|blob|data):/.test(url))).toEqual([]);
  } finally {
    folder.remove();
  }
});

test('a clip that cannot be played leaves a message', async () => {
  const { page } = await session.open('beam.glb');
  const translations = [
    [0, 0, 0],
    [2, 0, 0],
  ];
  await drop(page, Buffer.from(clipGlb({ times: [1, 0], translations })), 'bad.glb');
  expect(await shownMessage(page)).toContain('bad.glb cannot be played: the times of');
  expect(await page.evaluate(() => window.limber.bodies.length)).toBe(1);
});

test('the page of a scene starts with the gravity of the scene', async () => {
  const folder = temporaryFolder();
  try {
    const html = join(folder.path, 'falling.html');
    const args = ['export', modelPath('falling.json'), '-o', html];
    execFileSync(inject('limber'), args, { stdio: 'pipe' });
    for (const viewer of [await session.open('falling.json'), await session.openAddress(`file://${html}`)]) {
      await viewer.page.waitForFunction(() => window.limber.settings.gravity[2] === -9.81);
      expect(await viewer.page.getByTestId('gravity').isChecked()).toBe(true);
    }
    const { page } = await session.open('free.glb');
    expect(await page.evaluate(() => window.limber.settings.gravity)).toEqual([0, 0, 0]);
  } finally {
    folder.remove();
  }
});
