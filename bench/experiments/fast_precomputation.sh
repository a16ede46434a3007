#!/usr/bin/env bash
# The fast precomputation of Yang et al. 2015, Table 1 and the wire of Figure 1, with bodies of the same sizes: seconds of each stage of
# `limber reduce`.
#   bench/experiments/fast_precomputation.sh LIMBER [quick]    quick: the bunny with 10,000 elements alone
# Prints the table of docs/precomputation.md. Needs jq, and libcgal-demo, which has the surfaces; ./run experiment installs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
error=0.05  # of the forces, in poses not trained with
folder=build/experiments/fast_precomputation
mkdir -p "$folder"
# name, surface or built-in body, elements, modes, rank, fixed where
bodies=("bunny bunny00 50000 12 30 y<-0.4"
  "armadillo armadillo 65496 12 30 y<-45"
  "bear bear 77337 12 30 y<-0.6"
  "armadillo armadillo 100000 12 30 y<-45"
  "bunny bunny00 193700 12 30 y<-0.4"
  "wire builtin:wire 77000 30 120 -")
if [ "${2:-}" = quick ]; then bodies=("bunny bunny00 10000 12 30 y<-0.4"); fi

echo "| body | elements | unknowns | modes | rank | poses | points | force error (%) | factor (s) | modes (s) | derivatives (s) | projection (s) | poses (s) | cubature (s) | model (s) | total (s) |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for line in "${bodies[@]}"; do
  read -r name surface elements modes rank held <<< "$line"
  if [ "$name" = wire ]; then
    mesh="builtin:wire?cells=126"
    support=()
  else
    mesh="$folder/$name-$elements.msh"
    tar xzf /usr/share/doc/libcgal-dev/data.tar.gz -C "$folder" --strip-components=2 "data/meshes/$surface.off"
    "$limber" mesh "$folder/$surface.off" -o "$mesh" --target-elements "$elements" > /dev/null
    support=(--fixed-where "$held")
  fi
  "$limber" reduce "$mesh" "${support[@]}" --basis inertia --modes "$modes" --rank "$rank" --condense random --forces modal-cubature \
    --training-error "$error" --no-check -o "$folder/$name-$elements.glb" --json > "$folder/$name-$elements.json"
  jq -r --arg name "$name" --arg modes "$modes" 'def s: . * 100 | round / 100;
    "| \($name) | \(.elements) | \(.unknowns) | \($modes) | \(.rank) | \(.forces.poses) | \(.forces.points) | \(.forces.held_out_error * 100 | s) | " +
    "\(.seconds.factorisation | s) | \(.seconds["inertia modes"] | s) | \(.seconds["inertia derivatives"] | s) | " +
    "\(.seconds["random projection"] | s) | \(.seconds["training poses"] | s) | \(.seconds.cubature | s) | \(.seconds.model | s) | " +
    "\(.seconds.total | s) |"' "$folder/$name-$elements.json"
done
