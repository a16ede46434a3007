import { type ChildProcess, spawn } from 'node:child_process';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** Debian's Chromium without a screen; WebGL2 by SwiftShader. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
    ],
  });
}

export interface Served {
  readonly url: string;
  stop(): Promise<number | null>;
}

/** Runs `limber view`, the command at the path given, until it is stopped. */
export async function serve(limber: string, ...options: string[]): Promise<Served> {
  const process = spawn(limber, ['view', '--no-open', '--json', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    process.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = /"url":\s*"([^"]+)"/.exec(output);
      if (match !== null) resolve(match[1]!);
    });
    let errors = '';
    process.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    process.on('exit', (status) => {
      reject(new Error(`limber view ended with status ${status ?? 'none'}: ${errors}`));
    });
  });
  return { url, stop: () => stop(process) };
}

async function stop(process: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => process.on('exit', resolve));
  process.kill('SIGINT');
  return ended;
}

/** A page of the viewer, and everything that it said or asked for. */
export interface Viewer {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly errors: string[];
  readonly requests: string[];
}

/** Opens an address and waits until its model is shown. */
export async function openViewer(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Viewer> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  await page.evaluate(() => window.limber.ready);
  return { page, context, errors, requests };
}

/** The middle of the canvas, which the body covers as it is framed at first. */
export async function middle(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator('canvas').first().boundingBox();
  if (box === null) throw new Error('there is no canvas');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
