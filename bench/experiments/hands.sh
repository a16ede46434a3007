#!/usr/bin/env bash
# Ten minutes of random hands at bodies in the viewer's runtime: pulls, throws, drops, sliders, strokes with the tool ball (docs/viewer.md).
#   bench/experiments/hands.sh LIMBER [quick|SEED]    quick: ten seconds
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$(realpath "$1")
frames=36000
seed=1
if [ "${2:-}" = quick ]; then frames=600; elif [ -n "${2:-}" ]; then seed=$2; fi
folder=$PWD/build/experiments/hands
mkdir -p "$folder"
"$limber" reduce builtin:octopus --free --rank 20 -o "$folder/octopus.glb" > /dev/null
web/build.sh
cd web
LIMBER=$limber LIMBER_HANDS_FRAMES=$frames LIMBER_HANDS_SEED=$seed LIMBER_HANDS_MODELS=$folder/octopus.glb \
  npx vitest run viewer/test/random_hands.test.ts
