#!/usr/bin/env bash
# The spoon of Barbic & James 2005, section 7: an impulse bends it deeply; the full motion against that in several subspaces.
#   bench/experiments/spoon.sh LIMBER [quick]    quick: a coarse spoon
# Writes build/experiments/spoon/spoon.svg and prints the table of docs/subspace.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
folder=build/experiments/spoon
mkdir -p "$folder"
mesh='builtin:spoon?element=brick\&cells=69'
if [ "${2:-}" = quick ]; then mesh='builtin:spoon?element=brick\&cells=56'; fi
sed -e "s|\"builtin:spoon\"|\"$mesh\"|" examples/scenes/spoon.json > "$folder/scene.json"
"$limber" compare "$folder/scene.json" --basis motion --basis derivatives --basis sketch:examples/sketches/spoon.json --basis modes \
  --plot "$folder/spoon.svg"
