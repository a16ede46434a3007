import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import viewer from '../vite.config';

const here = fileURLToPath(new URL('.', import.meta.url));

const licences: Plugin = {
  name: 'licences',
  generateBundle() {
    for (const [fileName, path] of Object.entries({
      LICENSE: '../../LICENSE',
      'NOTICE.txt': '../NOTICE.txt',
    }))
      this.emitFile({ type: 'asset', fileName, source: readFileSync(resolve(here, path)) });
  },
};

// The npm package: one module with the WebAssembly inside, for browsers, bundlers and Node.
export default defineConfig({
  root: here,
  resolve: viewer.resolve ?? {},
  plugins: [licences],
  build: {
    lib: { entry: resolve(here, 'src/index.ts'), formats: ['es'], fileName: 'index' },
    outDir: resolve(here, 'dist'),
    target: 'es2022',
  },
});
