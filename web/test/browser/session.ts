import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openViewer, type Served, startBrowser, type Viewer } from './chromium';
import { serveModel } from './support';

/** What the tests of a file share: one browser, and one server for each model. */
export interface Session {
  readonly browser: Browser;
  /** Opens an address; the page is closed after the test. Small, since frames take long in software. */
  openAddress(url: string, options?: BrowserContextOptions): Promise<Viewer>;
  /** The same for a model by the name of its file, served by `limber view`. */
  open(model: string, options?: BrowserContextOptions): Promise<Viewer>;
}

/** To be called once at the top of a file of tests. */
export function useSession(): Session {
  let browser: Browser;
  const served = new Map<string, Served>();
  const opened: Viewer[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    for (const viewer of opened.splice(0)) await viewer.context.close();
  });
  afterAll(async () => {
    await browser.close();
    for (const server of served.values()) expect(await server.stop()).toBe(0);
  });
  const openAddress = async (url: string, options: BrowserContextOptions = {}): Promise<Viewer> => {
    const viewer = await openViewer(browser, url, { viewport: { width: 800, height: 500 }, ...options });
    opened.push(viewer);
    return viewer;
  };
  return {
    get browser() {
      return browser;
    },
    openAddress,
    async open(model, options) {
      let server = served.get(model);
      if (!server) served.set(model, (server = await serveModel(model)));
      return openAddress(server.url, options);
    },
  };
}
