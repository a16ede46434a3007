#!/usr/bin/env bash
# Optimized against modal cubature at falling fitting errors on the armadillo: Yang et al. 2015, Table 3.
#   bench/experiments/cubature_scaling.sh LIMBER [quick]    quick: a spoon and 200 poses
# Prints the table of docs/precomputation.md. Needs libcgal-demo, which has the surface.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
cmake --build --preset release --target cubature_scaling > /dev/null
if [ "${2:-}" = quick ]; then
  build/release/bench/cubature_scaling builtin:spoon 200
  exit
fi
folder=build/experiments/cubature_scaling
mkdir -p "$folder"
tar xzf /usr/share/doc/libcgal-dev/data.tar.gz -C "$folder" --strip-components=2 data/meshes/armadillo.off
"$limber" mesh "$folder/armadillo.off" -o "$folder/armadillo.msh" --target-elements 65496 > /dev/null
build/release/bench/cubature_scaling "$folder/armadillo.msh" 1000
