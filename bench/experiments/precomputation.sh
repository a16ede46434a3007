#!/usr/bin/env bash
# The tables of Barbic & James 2005, Figures 5, 8 and 11, with bodies of about the same sizes: seconds of each stage of `limber reduce`.
#   bench/experiments/precomputation.sh LIMBER [quick]    quick: the spoon alone
# Prints the table of docs/subspace.md. Needs jq, which ./run experiment precomputation installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
folder=build/experiments/precomputation
mkdir -p "$folder"
# name, body, modes, rank
bodies=("spoon builtin:spoon?element=brick&cells=69 6 12"
  "bridge builtin:bridge?element=brick&cells=84 10 15"
  "tower builtin:tower?element=brick&cells=109 20 30"
  "heart builtin:heart?element=brick&cells=57 20 30"
  "bar builtin:beam?size=8,1,1&cells=80,10,10 20 30")
if [ "${2:-}" = quick ]; then bodies=("${bodies[0]}"); fi

echo "| body | elements | modes | rank | factor (s) | modes (s) | derivatives (s) | PCA (s) | coefficients (s) | total (s) | memory (MB) |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for line in "${bodies[@]}"; do
  read -r name body modes rank <<< "$line"
  held=()
  if [ "$name" = bar ]; then held=(--fixed-where "x < 0.001"); fi
  "$limber" reduce "$body" "${held[@]}" --modes "$modes" --rank "$rank" -o "$folder/$name.glb" --json > "$folder/$name.json"
  "$limber" verify "$folder/$name.glb" > /dev/null
  jq -r --arg name "$name" --arg modes "$modes" 'def s: . * 100 | round / 100;
    "| \($name) | \(.elements) | \($modes) | \(.rank) | \(.seconds.factorisation | s) | \(.seconds["linear modes"] | s) | " +
    "\(.seconds["modal derivatives"] | s) | \(.seconds["mass-PCA"] | s) | \(.seconds.coefficients | s) | \(.seconds.total | s) | " +
    "\(.peak_memory_bytes / 1e6 | round) |"' "$folder/$name.json"
done
