import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
import viewer from './vite.config';

// Tests under Node, with the same WebAssembly module as the page. Those that need the command and the native reference find them by
// LIMBER and LIMBER_REFERENCE.
export default mergeConfig(viewer, {
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['runtime/**/*.test.ts', 'viewer/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
