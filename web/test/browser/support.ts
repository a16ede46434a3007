import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { inject } from 'vitest';
import { serve, type Served } from './chromium';

/** The folder of the models that make_models.ts made. */
export function modelPath(name: string): string {
  return join(inject('models'), name);
}

export function modelBytes(name: string): Buffer {
  return readFileSync(modelPath(name));
}

/** `limber view` of some of these models. */
export async function serveModels(names: readonly string[]): Promise<Served> {
  return serve(inject('limber'), ...names.map(modelPath));
}

/** Where a vertex is on the page, CSS pixels. */
export async function whereIs(page: Page, vertex: number): Promise<{ x: number; y: number }> {
  return page.evaluate((v) => window.limber.project(v), vertex);
}

/** Where all vertices are on the page, CSS pixels. */
export async function projections(page: Page): Promise<{ x: number; y: number }[]> {
  return page.evaluate(() =>
    Array.from({ length: window.limber.info!.vertexCount }, (_, vertex) => window.limber.project(vertex)),
  );
}

/** The box about the body on the page: its middle and its width, CSS pixels. */
export async function extent(page: Page): Promise<{ x: number; y: number; width: number }> {
  const points = await projections(page);
  const [xs, ys] = [points.map((p) => p.x), points.map((p) => p.y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  return { x: (left + right) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2, width: right - left };
}

/** Sets a range input as a person who drags it would. share: 0 at its left end, 1 at its right. */
export async function slide(page: Page, id: string, share: number): Promise<void> {
  await page.getByTestId(id).evaluate((element, to) => {
    const slider = element as HTMLInputElement;
    const [low, high] = [Number(slider.min), Number(slider.max)];
    slider.value = String(low + to * (high - low));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    slider.dispatchEvent(new Event('change', { bubbles: true }));
  }, share);
}

/** Stops the clock. Frames that were under way have come when this settles. */
export async function pause(page: Page): Promise<void> {
  await page.getByTestId('play').click();
  await page.waitForFunction(() => window.limber.settings.paused);
  await page.waitForTimeout(200);
}

/** Elastic and kinetic energy now, J. */
export async function energy(page: Page): Promise<number> {
  return page.evaluate(() => {
    const frame = window.limber.frame;
    return frame === null ? Number.NaN : frame.elasticEnergy + frame.kineticEnergy;
  });
}

/** Waits until the body has no more than this share of an energy left. */
export async function comeToRest(page: Page, limit: number): Promise<void> {
  await page.waitForFunction(
    (most) => {
      const frame = window.limber.frame;
      return frame !== null && frame.elasticEnergy + frame.kineticEnergy < most;
    },
    limit,
    { timeout: 40_000 },
  );
}

/** The canvas alone, as PNG. */
export async function picture(page: Page): Promise<Buffer> {
  return page.locator('canvas').first().screenshot();
}

/** Share of pixels that differ visibly between two pictures of one size. */
export async function difference(browser: Browser, a: Buffer, b: Buffer): Promise<number> {
  const page = await browser.newPage();
  try {
    return await page.evaluate(
      async ([first, second]) => {
        const pixels = async (base64: string): Promise<Uint8ClampedArray> => {
          const image = await createImageBitmap(
            await (await fetch(`data:image/png;base64,${base64}`)).blob(),
          );
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        };
        const [p, q] = [await pixels(first), await pixels(second)];
        if (p.length !== q.length) return 1;
        let count = 0;
        for (let i = 0; i < p.length; i += 4) {
          const apart = Math.max(...[0, 1, 2].map((channel) => Math.abs(p[i + channel]! - q[i + channel]!)));
          if (apart > 24) ++count;
        }
        return count / (p.length / 4);
      },
      [a.toString('base64'), b.toString('base64')] as const,
    );
  } finally {
    await page.close();
  }
}

/** A folder that goes away with `remove`. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'limber-test-'));
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The picture once the camera has come to rest, which it does not at once after bodies were loaded. */
export async function pictureAtRest(browser: Browser, page: Page): Promise<Buffer> {
  let last = await picture(page);
  for (let i = 0; i < 50; ++i) {
    await page.waitForTimeout(200);
    const next = await picture(page);
    if ((await difference(browser, last, next)) === 0) return next;
    last = next;
  }
  throw new Error('the picture does not come to rest');
}

/** Drops a file onto the page. */
export async function drop(page: Page, bytes: Buffer, name: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([base64, file]) => {
      const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const carried = new DataTransfer();
      carried.items.add(new File([data], file));
      return carried;
    },
    [bytes.toString('base64'), name] as const,
  );
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent('body', event, { dataTransfer: transfer });
  }
}

/** The error that the page shows, once it shows one. */
export async function shownMessage(page: Page): Promise<string> {
  const message = page.getByTestId('message');
  await message.waitFor({ state: 'visible' });
  return (await message.textContent()) ?? '';
}
