import { defineConfig } from 'vitest/config';

// The viewer in a real browser. LIMBER names the command that serves and exports it.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/make_models.ts'],
    environment: 'node',
    retry: 2, // software rendering is slow enough for a key or a frame to come late once in a while
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false, // software rendering keeps every core busy
  },
});
