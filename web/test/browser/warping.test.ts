import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { middle } from './chromium';
import { useSession } from './session';
import { difference, extent, pause, picture, projections, slide } from './support';

const session = useSession();

interface Point {
  readonly x: number;
  readonly y: number;
}

function apart(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

async function warp(page: Page): Promise<void> {
  await page.getByTestId('method').selectOption('warped');
  await page.waitForFunction(() => window.limber.frame?.warped === true);
}

/** Where a part of a handle is on the page. */
async function part(page: Page, handle: number, name: 'ball' | 'x' | 'y' | 'z', angle = 0): Promise<Point> {
  const at = await page.evaluate(([id, which, a]) => window.limber.projectHandle(id, which, a), [
    handle,
    name,
    angle,
  ] as const);
  if (at === null) throw new Error(`there is no handle ${handle}`);
  return at;
}

/** Pins a handle at a point of the page, by the key, and returns its number once it is drawn. */
async function pin(page: Page, { x, y }: Point): Promise<number> {
  const before = await page.evaluate(() => window.limber.frame!.handles.map(({ id }) => id));
  await page.keyboard.down('h');
  await page.mouse.click(x, y);
  await page.keyboard.up('h');
  const made = await page.waitForFunction((known) => {
    const id = window.limber.frame!.handles.find((handle) => !known.includes(handle.id))?.id;
    return id !== undefined && window.limber.projectHandle(id, 'ball') !== null ? { id } : null;
  }, before);
  return (await made.jsonValue())!.id;
}

/** A point on the body near its free end: the vertex that gravity moves most, and where it is at rest. */
async function freeEnd(page: Page): Promise<Point> {
  const rest = await projections(page);
  await page.getByTestId('gravity').click();
  await page.waitForFunction(() => window.limber.frame!.elasticEnergy > 1e-2);
  const moved = await projections(page);
  await page.getByTestId('gravity').click();
  await page.getByTestId('reset').click();
  await page.waitForFunction(() => window.limber.frame!.elasticEnergy === 0);
  const far = rest.reduce(
    (best, at, i) => (apart(at, moved[i]!) > apart(rest[best]!, moved[best]!) ? i : best),
    0,
  );
  // A little towards the middle of the body, so that the pointer is on it.
  const { x, y } = await extent(page);
  return { x: rest[far]!.x + 0.12 * (x - rest[far]!.x), y: rest[far]!.y + 0.12 * (y - rest[far]!.y) };
}

async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 8 });
  await page.mouse.up();
}

/** Waits until targets have followed the pointer and are met. */
async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(600);
  await page.waitForFunction(() => window.limber.frame!.handleReport?.met === true);
}

/** Where all vertices are, m. */
async function positions(page: Page): Promise<(readonly [number, number, number])[]> {
  return page.evaluate(() =>
    Array.from({ length: window.limber.info!.vertexCount }, (_, vertex) => window.limber.position(vertex)),
  );
}

type Points = Awaited<ReturnType<typeof positions>>;

function distance(points: Points, a: number, b: number): number {
  return Math.hypot(...[0, 1, 2].map((axis) => points[a]![axis]! - points[b]![axis]!));
}

/** By which share distances of vertices near one have changed at most. */
function stretch(rest: Points, now: Points, vertex: number): number {
  const size = Math.max(...rest.map((_, i) => distance(rest, 0, i)));
  const near = rest.flatMap((_, i) => (distance(rest, vertex, i) < 0.2 * size ? [i] : []));
  let most = 0;
  for (const a of near) {
    for (const b of near) {
      const before = distance(rest, a, b);
      if (before > 0.03 * size) most = Math.max(most, Math.abs(distance(now, a, b) / before - 1));
    }
  }
  return most;
}

test('warping keeps the shape of what turns far, on the page and in the picture', async () => {
  const { page, errors } = await session.open('beam.glb');
  const rest = await positions(page);
  await slide(page, 'mode-amplitude', 1);
  await slide(page, 'mode-rate', 0);
  await page.getByTestId('mode-next').click();
  // Held where the vertex that moves most has gone a third of the size of the body.
  const tip = await page.waitForFunction((start) => {
    const gone = start.map((from, i) =>
      Math.hypot(...window.limber.position(i).map((x, axis) => x - from[axis]!)),
    );
    const size = Math.max(...start.map((p) => Math.hypot(...p.map((x, axis) => x - start[0]![axis]!))));
    const most = Math.max(...gone);
    return most > 0.3 * size ? { vertex: gone.indexOf(most) } : null;
  }, rest);
  const { vertex } = (await tip.jsonValue())!;
  await pause(page);
  await page.waitForTimeout(1000); // shadows may lag behind
  const linear = stretch(rest, await positions(page), vertex);
  const plain = await picture(page);
  await warp(page);
  const warped = stretch(rest, await positions(page), vertex);
  expect(linear).toBeGreaterThan(0.04);
  expect(warped).toBeLessThan(0.5 * linear);
  await expect
    .poll(async () => difference(session.browser, plain, await picture(page)))
    .toBeGreaterThan(0.001);
  expect(errors).toEqual([]);
});

test('a body of warped modes follows the hand and is let go', async () => {
  const { page, errors } = await session.open('beam.glb');
  await warp(page);
  const start = await freeEnd(page);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 10, start.y - 50, { steps: 8 });
  await page.waitForFunction(() => window.limber.frame?.handles.length === 1);
  const vertex = await page.evaluate(() => window.limber.frame!.handles[0]!.vertex);
  // A hard constraint: the vertex is where the pointer is, but for where it was grabbed.
  await expect
    .poll(async () => (await page.evaluate((v) => window.limber.project(v), vertex)).y - (start.y - 50))
    .toBeLessThan(15);
  expect(await page.evaluate(() => window.limber.frame!.pulls.length)).toBe(0);
  await page.mouse.up();
  await page.waitForFunction(() => window.limber.frame?.handles.length === 0);
  expect(errors).toEqual([]);
});

test('a pinned handle is dragged, twisted and removed', async () => {
  const { page, errors } = await session.open('beam.glb');
  await warp(page);
  const handle = await pin(page, await freeEnd(page));
  await page.getByTestId('handle-row').waitFor();
  const ball = await part(page, handle, 'ball');
  const to = { x: ball.x, y: ball.y - 40 };
  await drag(page, ball, to);
  await settled(page);
  expect(apart(await part(page, handle, 'ball'), to)).toBeLessThan(2);
  const vertex = await page.evaluate(() => window.limber.frame!.handles[0]!.vertex);
  expect(apart(await page.evaluate((v) => window.limber.project(v), vertex), to)).toBeLessThan(2);

  // By half a radian along a ring.
  const before = await page.evaluate(() => window.limber.frame!.handles[0]!.orientation);
  await drag(page, await part(page, handle, 'x', 0.6), await part(page, handle, 'x', 1.1));
  await settled(page);
  const after = await page.evaluate(() => window.limber.frame!.handles[0]!.orientation);
  const cosine = Math.abs(before.reduce((sum, value, i) => sum + value * after[i]!, 0));
  expect(2 * Math.acos(Math.min(1, cosine))).toBeGreaterThan(0.2);
  expect(await page.getByTestId('handle-status').textContent()).toContain('All handles are met.');

  await page.keyboard.press('Delete');
  await page.waitForFunction(() => window.limber.frame?.handles.length === 0);
  await page.getByTestId('handle-row').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});

test('a handle is added by its button and a tap, moved by a finger and removed by two taps', async () => {
  const { page, context, errors } = await session.open('beam.glb', { hasTouch: true });
  await warp(page);
  const at = await freeEnd(page);
  await page.getByTestId('handle-add').click();
  await page.touchscreen.tap(at.x, at.y);
  await page.waitForFunction(() => window.limber.frame?.handles.length === 1);
  const id = await page.evaluate(() => window.limber.frame!.handles[0]!.id);
  await page.waitForFunction((handle) => window.limber.projectHandle(handle, 'ball') !== null, id);
  const ball = await part(page, id, 'ball');
  const input = await context.newCDPSession(page);
  await input.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [ball] });
  for (const dy of [10, 20, 30]) {
    const touchPoints = [{ x: ball.x, y: ball.y - dy }];
    await input.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
  }
  await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(async () => (await part(page, id, 'ball')).y - ball.y).toBeLessThan(-25);
  const there = await part(page, id, 'ball');
  for (let i = 0; i < 2; ++i) await page.touchscreen.tap(there.x, there.y);
  await page.waitForFunction(() => window.limber.frame?.handles.length === 0);
  expect(errors).toEqual([]);
});

test('handles that hold more than the rank allows are refused', async () => {
  const { page } = await session.open('beam.glb');
  await warp(page);
  await pin(page, await freeEnd(page)); // 6 of 10
  await pin(page, await middle(page)); // and a position: 9
  await slide(page, 'rank', 0.5); // fewer than that
  await expect.poll(async () => page.evaluate(() => window.limber.frame!.handles.length)).toBeLessThan(2);
  expect(await page.evaluate(() => window.limber.message)).toContain('no room');
});

test('what belongs to springs and to the simulation mesh is not offered for warped modes', async () => {
  const { page } = await session.open('beam.glb');
  await warp(page);
  expect(await page.getByTestId('strength').isDisabled()).toBe(true);
  expect(await page.getByTestId('show-mesh').isDisabled()).toBe(true);
  expect(await page.getByTestId('show-fixed').isDisabled()).toBe(false);
  await page.getByTestId('method').selectOption('reduced');
  await page.waitForFunction(() => window.limber.frame?.warped === false);
  expect(await page.getByTestId('strength').isDisabled()).toBe(false);
  expect(await page.getByTestId('handle-add').isDisabled()).toBe(true);
});
