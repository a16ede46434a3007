#!/usr/bin/env bash
# Inertia modes against true modes and ARPACK on one factorisation: Yang et al. 2015, Table 2.
#   bench/experiments/mode_scaling.sh LIMBER [quick|small]    quick: 10,000 elements; small: up to 200,000
# Prints the table of docs/precomputation.md. The largest bodies take an hour and 16 GB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

sizes=50000,100000,200000,400000,600000,800000,1000000
modes=30,60,120,240
case "${2:-}" in
  quick) sizes=10000 modes=30 ;;
  small) sizes=50000,100000,200000 ;;
esac
cmake --build --preset release --target mode_scaling > /dev/null
build/release/bench/mode_scaling "$sizes" "$modes"
