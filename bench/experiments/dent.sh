#!/usr/bin/env bash
# How much bodies in a subspace give way where they are touched, with and without `limber reduce --contact`, and what that costs their motion.
#   bench/experiments/dent.sh LIMBER [NAME...]
# NAME: block, octopus, held-octopus, heart or small (seconds); all but small by default, which takes a minute or two.
# Prints the table of docs/precomputation.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

shift
cmake --build --preset release --target dent > /dev/null
build/release/bench/dent "$@"
