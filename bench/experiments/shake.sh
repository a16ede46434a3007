#!/usr/bin/env bash
# Bodies on a shaken support by every method against finite elements whose held vertices are moved alike.
#   bench/experiments/shake.sh LIMBER [NAME...]
# NAME: stout, slender, heart or small (seconds); all but small by default, which takes about a quarter of an hour.
# Writes plots to build/experiments/shake and prints the tables of docs/flight.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

shift
folder=build/experiments/shake
mkdir -p "$folder"
cmake --build --preset release --target shake > /dev/null
build/release/bench/shake "$folder" "$@"
