import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

const here = fileURLToPath(new URL('.', import.meta.url));

// The licences of what is inside, at the top of the page: whoever passes an exported page on passes them on. That of limber itself
// in full, as its section 4(a) asks for: a copy, not an address.
const licences = () =>
  ['NOTICE.txt', '../LICENSE'].map((file) => readFileSync(resolve(here, file), 'utf8')).join('\n');
const notice: Plugin = {
  name: 'notice',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace(/^<!doctype html>/i, (first) => `${first}\n<!--\n${licences()}-->`),
  },
};

// One HTML file that holds everything, worker and WebAssembly included: it opens from disk and needs no server.
// LIMBER_WASM: the folder of limber_wasm.mjs, made by web/build.sh.
export default defineConfig({
  root: resolve(here, 'viewer'),
  resolve: { alias: { '#wasm': process.env.LIMBER_WASM ?? resolve(here, '../build/wasm/web/runtime') } },
  plugins: [viteSingleFile(), notice],
  worker: { format: 'iife' }, // a page from disk may not start module workers
  build: {
    outDir: process.env.LIMBER_VIEWER_OUT ?? resolve(here, '../build/web'),
    emptyOutDir: false,
    target: 'es2022',
    chunkSizeWarningLimit: 8192,
  },
});
