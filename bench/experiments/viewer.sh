#!/usr/bin/env bash
# The viewer's runtime against the native one, and what a frame costs on the page's main thread: the tables of docs/viewer.md.
#   bench/experiments/viewer.sh LIMBER [quick]    quick: a fraction of the time, with more noise
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$(realpath "$1")
folder=$PWD/build/experiments/viewer
mkdir -p "$folder"
seconds=1
rounds=7
if [ "${2:-}" = quick ]; then seconds=0.2 rounds=3; fi
cmake --build --preset release --target live_reference > /dev/null

echo "models"
exact=$folder/tower.glb
cubature=$folder/heart.glb
"$limber" reduce builtin:tower --modes 40 --rank 60 -o "$exact" > /dev/null
"$limber" reduce builtin:heart --modes 40 --rank 60 --law neo-hookean -o "$cubature" > /dev/null
# 60,000 triangles; 200,000 vertices
"$limber" reduce "builtin:octopus?render=70" --rank 30 -o "$folder/octopus_60k.glb" > /dev/null
"$limber" reduce "builtin:octopus?render=300" --rank 30 -o "$folder/octopus_400k.glb" > /dev/null

echo "steps per second, WebAssembly and native in turns"
cd web
LIMBER_REFERENCE=$PWD/../build/release/tests/web/live_reference npm run --silent bench -- \
  --seconds "$seconds" --rounds "$rounds" "$exact" "$cubature"

echo "milliseconds of JavaScript per frame on the main thread, while the body is pulled about"
npm run --silent bench:frames -- "$limber" "$folder/octopus_60k.glb" "$folder/octopus_400k.glb"
