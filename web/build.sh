#!/usr/bin/env bash
# web/build.sh: the runtime in WebAssembly (build/wasm) and, with it inside, the viewer as one file: build/web/index.html.
# Does only what is missing or out of date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export NODE_PATH=/usr/share/nodejs  # Debian's Emscripten needs acorn from there
if [ ! -f build/wasm/build.ninja ]; then
  mkdir -p build
  cmake --preset wasm > build/wasm.log 2>&1 || {
    cat build/wasm.log >&2
    exit 1
  }
fi
cmake --build --preset wasm --parallel "${LIMBER_JOBS:-2}"

cd web
./install.sh

page=../build/web/index.html
inputs=(../build/wasm/web/runtime/limber_wasm.mjs vite.config.ts NOTICE.txt ../LICENSE tsconfig.json package-lock.json runtime/src viewer)
if [ ! -f "$page" ] || [ -n "$(find "${inputs[@]}" -newer "$page" -type f -print -quit)" ]; then
  echo "building the viewer"
  npm run --silent build -- --logLevel warn
fi
