import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import viewer from '../vite.config';

const here = fileURLToPath(new URL('.', import.meta.url));

// The npm package: one module with the WebAssembly inside, for browsers, bundlers and Node.
export default defineConfig({
  root: here,
  resolve: viewer.resolve ?? {},
  build: {
    lib: { entry: resolve(here, 'src/index.ts'), formats: ['es'], fileName: 'index' },
    outDir: resolve(here, 'dist'),
    target: 'es2022',
  },
});
