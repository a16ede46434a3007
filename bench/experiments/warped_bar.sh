#!/usr/bin/env bash
# The bar of Choi & Ko 2005, Figures 4 to 7: linear and warped modes against nonlinear finite elements, and the bar manipulated.
#   bench/experiments/warped_bar.sh LIMBER
# Writes plots and pictures to build/experiments/warped_bar and prints the tables of docs/warping.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=build/experiments/warped_bar
mkdir -p "$folder"
cmake --build --preset release --target warped_bar > /dev/null
build/release/bench/warped_bar "$folder"
