#!/usr/bin/env bash
# tests/viewers/check.sh MODEL.glb CLIP.glb: other programs read what limber writes.
#   gltf-validator   no errors, no warnings
#   three.js         the vertices are where they belong, with weights and along the animation of the clip
#   Blender          the same of the clip; left out, with a message, where there is no Blender
# The model may be a tree of domains. The clip must be one of its motion. Ends with status 77 (skipped) where npm's packages cannot be had.
set -euo pipefail
if [ $# -ne 2 ]; then
  echo "usage: tests/viewers/check.sh MODEL.glb CLIP.glb" >&2
  exit 2
fi
model=$(realpath "$1")
clip=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
  echo "skipped: Node.js and npm are missing; install them to check files with gltf-validator and three.js"
  exit 77
fi
if ! npm ls > /dev/null 2>&1 && ! npm ci --no-audit --no-fund --loglevel=error; then
  echo "skipped: npm could not install gltf-validator and three; try again with a connection to the registry"
  exit 77
fi
node validate.mjs "$model" "$clip"
node three_load.mjs "$model" "$clip"

if ! command -v blender > /dev/null; then
  echo "skipped Blender: it is not installed"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
blender --background --factory-startup --python blender_import.py -- "$clip" > "$log" 2>&1 || {
  cat "$log"
  exit 1
}
grep "Blender .* vertices agree" "$log"
