import { expect, test } from 'vitest';
import { useSession } from './session';
import { difference, pause, picture, projections, slide, whereIs } from './support';

const session = useSession();

test('a stiffer material raises the frequencies', async () => {
  const { page } = await session.open('beam.glb');
  const first = await page.evaluate(() => window.limber.frequencies![0]!);
  await slide(page, 'young-0', 0.75); // ten times as stiff
  await page.waitForFunction((f) => window.limber.frequencies![0]! > 1.5 * f, first);
  const ratio = (await page.evaluate(() => window.limber.frequencies![0]!)) / first;
  expect(ratio).toBeCloseTo(Math.sqrt(10), 1);
});

test('every region has its own material', async () => {
  const { page } = await session.open('bridge.glb');
  expect(await page.evaluate(() => window.limber.info!.regions.length)).toBe(2);
  const before = await page.evaluate(() => [...window.limber.frequencies!]);
  await slide(page, 'young-1', 0.75);
  await page.waitForFunction((f) => window.limber.frequencies![0]! > 1.05 * f, before[0]!);
  // Only one of two regions is ten times as stiff.
  const ratio = (await page.evaluate(() => window.limber.frequencies![0]!)) / before[0]!;
  expect(ratio).toBeLessThan(0.99 * Math.sqrt(10));
});

test('gravity bends the body until it is switched off', async () => {
  const { page } = await session.open('beam.glb');
  await page.getByTestId('gravity').click();
  await page.waitForFunction(() => window.limber.frame!.elasticEnergy > 1e-3);
  await page.getByTestId('gravity').click();
  await page.getByTestId('reset').click();
  await page.waitForFunction(() => window.limber.frame!.elasticEnergy === 0);
});

test('the body sags the way that gravity points', async () => {
  const { page } = await session.open('beam.glb');
  const rest = await projections(page);
  const moved = async (): Promise<number[]> =>
    (await projections(page)).map(({ y }, vertex) => y - rest[vertex]!.y);
  // The free end: on the page, the vertex that moves most.
  const farthest = (by: number[]): number =>
    by.reduce((most, one, vertex) => (Math.abs(one) > Math.abs(by[most]!) ? vertex : most), 0);
  await page.getByTestId('gravity-direction').selectOption('-z');
  await expect.poll(async () => moved().then((by) => by[farthest(by)])).toBeGreaterThan(1); // pixels count downwards
  const tip = farthest(await moved());
  await page.getByTestId('gravity-direction').selectOption('+z');
  await expect.poll(async () => (await whereIs(page, tip)).y - rest[tip]!.y).toBeLessThan(-1);
});

test('fewer coordinates are computed where the rank is less', async () => {
  const { page } = await session.open('beam.glb');
  await page.waitForFunction(() => window.limber.frame?.q.length === 10);
  await slide(page, 'rank', 0);
  await page.waitForFunction(() => window.limber.frame?.q.length === 1);
});

test('a step takes as long as the time step says', async () => {
  const { page } = await session.open('beam.glb');
  await pause(page);
  const before = await page.evaluate(() => window.limber.settings.timeStep);
  await slide(page, 'time-step', 0.9);
  const [timeStep, time] = await page.evaluate(
    () => [window.limber.settings.timeStep, window.limber.frame!.time] as const,
  );
  expect(Math.abs(timeStep / before - 1)).toBeGreaterThan(0.1);
  await page.getByTestId('step').click();
  await page.waitForFunction((t) => window.limber.frame!.time !== t, time);
  expect((await page.evaluate(() => window.limber.frame!.time)) - time).toBeCloseTo(timeStep, 9);
});

test('a paused body moves by single steps only', async () => {
  const { page } = await session.open('beam.glb');
  await page.getByTestId('gravity').click();
  await pause(page);
  const steps = await page.evaluate(() => window.limber.frame!.steps);
  await page.getByTestId('step').click();
  await page.waitForFunction((n) => window.limber.frame!.steps === n + 1, steps);
  await page.waitForTimeout(200);
  expect(await page.evaluate(() => window.limber.frame!.steps)).toBe(steps + 1);
});

test('a tenth of the speed slows the body down', async () => {
  const { page } = await session.open('beam.glb');
  await page.getByTestId('gravity').click();
  await page.waitForFunction(() => window.limber.frame!.reachedSpeed > 0.5);
  await page.getByTestId('speed').selectOption('0.1');
  await page.waitForFunction(() => window.limber.frame!.reachedSpeed < 0.5);
  const time = await page.evaluate(() => window.limber.frame!.time);
  await page.waitForFunction((t) => window.limber.frame!.time > t, time);
});

test('a natural vibration plays and stops', async () => {
  const { page } = await session.open('beam.glb');
  const still = await picture(page);
  await page.getByTestId('mode-next').click();
  await page.waitForFunction(() => window.limber.frame?.playingMode === true);
  await page.waitForFunction(() => window.limber.frame!.q.some((value) => value !== 0));
  await page.getByTestId('mode-stop').click();
  await page.waitForFunction(() => window.limber.frame?.playingMode === false);
  await expect.poll(async () => difference(session.browser, still, await picture(page))).toBeLessThan(0.003);
});
