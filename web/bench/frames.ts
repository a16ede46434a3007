// What a frame costs on the page's main thread, in JavaScript, while the body is pulled about:
//   vite-node bench/frames.ts LIMBER MODEL.glb...
// Prints one line of JSON per model: medians of the CPU time of animation frames, of messages from the worker and of pointer
// events. The worker's time and that of drawing, which the CPU does here, are not in it.

import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { middle, openViewer, serve, startBrowser } from '../test/browser/chromium';

const [limber, ...models] = process.argv.slice(2);
if (limber === undefined || models.length === 0) {
  console.error('usage: vite-node bench/frames.ts LIMBER MODEL.glb...');
  process.exit(2);
}

const quantile = (values: number[], share: number): number =>
  values[Math.min(values.length - 1, Math.floor(share * values.length))]!;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly data?: { readonly type?: string } };
  /** Microseconds of CPU time of the thread. */
  readonly tdur?: number;
}

/** ms of the page's main thread for each animation frame, message of the worker and pointer event of a trace. */
function scriptTimes(path: string): Record<'frame' | 'message' | 'pointer', number[]> {
  const { traceEvents } = JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: TraceEvent[] };
  const main = traceEvents.find((event) => event.name === 'FireAnimationFrame');
  const times = (name: string, type?: string): number[] =>
    traceEvents
      .filter((event) => event.name === name && event.pid === main?.pid && event.tid === main.tid)
      .filter((event) => type === undefined || event.args?.data?.type === type)
      .map((event) => (event.tdur ?? 0) / 1000)
      .sort((a, b) => a - b);
  return {
    frame: times('FireAnimationFrame'),
    message: times('HandlePostMessage'),
    pointer: times('EventDispatch', 'pointermove'),
  };
}

const browser = await startBrowser();
for (const model of models) {
  const served = await serve(limber, model);
  const { page, context } = await openViewer(browser, served.url, { viewport: { width: 640, height: 480 } });
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // Software rendering reaches few frames per second: this long until the engine has compiled what it runs.
  for (let i = 0; i < 600; ++i) {
    await page.mouse.move(x + 60 * Math.sin(i / 12), y - 40 * Math.sin(i / 7));
    await page.waitForTimeout(100);
  }
  const trace = join(tmpdir(), `limber-frames-${process.pid}.json`);
  await browser.startTracing(page, { categories: ['devtools.timeline'], path: trace });
  for (let i = 0; i < 100; ++i) {
    await page.mouse.move(x + 60 * Math.sin(i / 12), y - 40 * Math.sin(i / 7));
    await page.waitForTimeout(100);
  }
  await browser.stopTracing();
  const times = scriptTimes(trace);
  rmSync(trace);
  const info = await page.evaluate(() => window.limber.info!);
  console.log(
    JSON.stringify({
      model: info.name,
      rank: info.rank,
      vertices: info.vertexCount,
      triangles: info.triangleCount,
      frames: times.frame.length,
      frame_ms: quantile(times.frame, 0.5),
      frame_p90_ms: quantile(times.frame, 0.9),
      message_ms: quantile(times.message, 0.5),
      pointer_ms: quantile(times.pointer, 0.5),
    }),
  );
  await context.close();
  await served.stop();
}
await browser.close();
