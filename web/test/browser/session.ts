import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openViewer, type Served, startBrowser, type Viewer } from './chromium';
import { serveModels } from './support';

/** What the tests of a file share: one browser, and one server for each choice of models. */
export interface Session {
  readonly browser: Browser;
  /** Opens an address; the page is closed after the test. Small, since frames take long in software. */
  openAddress(url: string, options?: BrowserContextOptions): Promise<Viewer>;
  /** The same for models by the names of their files, served by `limber view`. */
  open(models: string | readonly string[], options?: BrowserContextOptions): Promise<Viewer>;
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
    async open(models, options) {
      const names = [models].flat();
      let server = served.get(names.join());
      if (!server) served.set(names.join(), (server = await serveModels(names)));
      return openAddress(server.url, options);
    },
  };
}
