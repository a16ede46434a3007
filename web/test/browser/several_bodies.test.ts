import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { useSession } from './session';
import { difference, modelPath, picture, pictureAtRest, temporaryFolder } from './support';

const session = useSession();

/** Numbers of the bodies, by their names. */
async function bodies(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => Object.fromEntries(window.limber.bodies.map(({ id, name }) => [name, id])));
}

/** Numbers of pulls at some bodies. */
async function pulls(page: Page, ...ids: number[]): Promise<number[]> {
  return page.evaluate((all) => all.map((id) => window.limber.frameOf(id)!.pulls.length), ids);
}

/** J, elastic, of a body. */
async function elastic(page: Page, id: number): Promise<number> {
  return page.evaluate((body) => window.limber.frameOf(body)!.elasticEnergy, id);
}

/** Takes hold of a body at one of its vertices that can be moved, and drags it by some pixels. */
async function pull(page: Page, id: number): Promise<void> {
  for (const vertex of [60, 90, 30, 120, 45, 75]) {
    const { x, y } = await page.evaluate(([v, body]) => window.limber.project(v, body), [
      vertex,
      id,
    ] as const);
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 0; i < 20 && (await pulls(page, id))[0] !== 1; ++i) await page.waitForTimeout(100); // for the answer
    if ((await pulls(page, id))[0] === 1) {
      await page.mouse.move(x + 40, y - 40, { steps: 5 });
      return;
    }
    await page.mouse.up();
  }
  throw new Error('there is nothing to pull');
}

test('two bodies of two kinds are drawn, pulled one by one, and one is taken away', async () => {
  const { page, errors } = await session.open(['beam.glb', 'tree.glb']);
  const { beam, tree } = (await bodies(page)) as { beam: number; tree: number };
  expect(await page.getByTestId('body-row').count()).toBe(2);
  expect(await page.evaluate(() => window.limber.selected)).toBe(beam);
  const atRest = await pictureAtRest(session.browser, page);

  await pull(page, tree);
  expect(await page.evaluate(() => window.limber.selected)).toBe(tree);
  expect(await page.getByTestId('section-domains').isVisible()).toBe(true);
  expect(await pulls(page, beam, tree)).toEqual([0, 1]);
  await expect.poll(() => elastic(page, tree)).toBeGreaterThan(0);
  expect(await elastic(page, beam)).toBe(0);
  await page.mouse.up();
  await page.getByTestId('reset').click();
  await expect.poll(() => elastic(page, tree)).toBe(0);

  await pull(page, beam);
  expect(await page.evaluate(() => window.limber.selected)).toBe(beam);
  expect(await page.getByTestId('section-domains').isVisible()).toBe(false);
  expect(await pulls(page, beam, tree)).toEqual([1, 0]);
  await expect.poll(() => elastic(page, beam)).toBeGreaterThan(0);
  expect(await elastic(page, tree)).toBe(0);
  await page.mouse.up();
  await page.getByTestId('reset').click();
  await expect.poll(async () => difference(session.browser, atRest, await picture(page))).toBeLessThan(0.006);

  await page.getByTestId(`body-${tree}-remove`).click();
  expect(await bodies(page)).toEqual({ beam });
  expect(await page.getByTestId('section-bodies').isVisible()).toBe(false);
  await expect
    .poll(async () => difference(session.browser, atRest, await picture(page)))
    .toBeGreaterThan(0.01);
  await pull(page, beam);
  expect(errors).toEqual([]);
});

test('files that are chosen together are all opened, in place of those before', async () => {
  const { page, errors } = await session.open(['beam.glb', 'beam.glb']);
  await page.getByTestId('file').setInputFiles(['free.glb', 'bridge.glb', 'free.glb'].map(modelPath));
  await expect.poll(() => bodies(page)).toMatchObject({ free: 3, bridge: 4, 'free 2': 5 });
  expect(await page.evaluate(() => [window.limber.selected, window.limber.bodies.length])).toEqual([3, 3]);
  expect(errors).toEqual([]);
});

test('what is entered stays with the body that it is for', async () => {
  const { page, errors } = await session.open(['beam.glb', 'beam.glb']);
  const { beam, 'beam 2': other } = (await bodies(page)) as { beam: number; 'beam 2': number };
  const select = (id: number): Promise<void> =>
    page.evaluate((body) => {
      window.limber.select(body);
    }, id);
  const mass = (): Promise<number> => page.evaluate(() => window.limber.settings.damping.mass);
  const selected = (): Promise<number | null> => page.evaluate(() => window.limber.selected);
  await page.getByTestId('section-damping').locator('summary').click();
  await page.getByTestId('damping-mass-value').fill('77');
  await select(other);
  expect(await selected()).toBe(other);
  expect(await mass()).not.toBe(77);
  await select(beam);
  expect(await mass()).toBe(77);

  const slider = (await page.getByTestId('damping-mass').boundingBox())!;
  await page.mouse.move(slider.x + slider.width / 2, slider.y + slider.height / 2);
  await page.mouse.down();
  await select(other);
  expect(await selected()).toBe(beam);
  await page.mouse.up();
  await select(other);
  expect(await selected()).toBe(other);

  // By keys: the focus stays in the list.
  await page.getByTestId(`body-${beam}`).focus();
  await page.keyboard.press('Enter');
  expect(await selected()).toBe(beam);
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-testid'))).toBe(`body-${beam}`);
  expect(errors).toEqual([]);
});

test('a body that shows a vibration is selected by a click, and not pulled', async () => {
  const { page, errors } = await session.open(['beam.glb', 'beam.glb']);
  const { beam, 'beam 2': other } = (await bodies(page)) as { beam: number; 'beam 2': number };
  await page.keyboard.press('v');
  await expect.poll(() => page.evaluate((body) => window.limber.frameOf(body)!.playingMode, beam)).toBe(true);
  await page.getByTestId(`body-${other}`).click();
  expect(await page.getByTestId('step').isDisabled()).toBe(false);
  const { x, y } = await page.evaluate(([v, body]) => window.limber.project(v, body), [60, beam] as const);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await expect.poll(() => page.evaluate(() => window.limber.selected)).toBe(beam);
  expect(await pulls(page, beam, other)).toEqual([0, 0]);
  expect(await page.getByTestId('step').isDisabled()).toBe(false);
  await page.mouse.up();
  expect(errors).toEqual([]);
});

test('an exported page holds the same file twice, and each body moves in its own way', async () => {
  const folder = temporaryFolder();
  try {
    const file = join(folder.path, 'beams.html');
    execFileSync(inject('limber'), ['export', modelPath('beam.glb'), modelPath('beam.glb'), '-o', file]);
    const { page, errors } = await session.openAddress(`file://${file}`);
    const { beam, 'beam 2': other } = (await bodies(page)) as { beam: number; 'beam 2': number };
    const [here, there] = await page.evaluate(
      ([a, b]) => [window.limber.position(0, a), window.limber.position(0, b)] as const,
      [beam, other] as const,
    );
    expect(there[0] - here[0]).toBeGreaterThan(0);
    expect(there.slice(1)).toEqual(here.slice(1));

    await page.getByTestId(`body-${other}`).click();
    await page.getByTestId('method').selectOption('warped');
    await page.getByTestId('gravity').click();
    const warped = (id: number): Promise<boolean> =>
      page.evaluate((body) => window.limber.frameOf(body)!.warped, id);
    await expect.poll(() => warped(other)).toBe(true);
    expect(await warped(beam)).toBe(false);
    for (const id of [beam, other]) await expect.poll(() => elastic(page, id)).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  } finally {
    folder.remove();
  }
});
