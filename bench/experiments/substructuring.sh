#!/usr/bin/env bash
# Barbic & Zhao 2011: Figure 7 and Table 1 on bodies of our own, interfaces, momentum, and how the cost grows.
#   bench/experiments/substructuring.sh LIMBER [quick]
# Writes plots to build/experiments/substructuring and prints the tables of docs/substructuring.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=build/experiments/substructuring
mkdir -p "$folder"
cmake --build --preset release --target substructuring > /dev/null
build/release/bench/substructuring "$folder" "${@:2}"
