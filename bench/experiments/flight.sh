#!/usr/bin/env bash
# Bodies thrown alike by every method against finite elements of the same mesh: path, spin, momentum and energy.
#   bench/experiments/flight.sh LIMBER [NAME...]
# NAME: bar, octopus or small (seconds); bar and octopus by default, which takes about half an hour on two cores.
# Writes plots to build/experiments/flight and prints the tables of docs/flight.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

shift
folder=build/experiments/flight
mkdir -p "$folder"
cmake --build --preset release --target flight > /dev/null
build/release/bench/flight "$folder" "$@"
