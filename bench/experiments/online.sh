#!/usr/bin/env bash
# Kim & James 2009: the beam, the pendulum, the head, and Tables 1 and 2, full against online.
#   bench/experiments/online.sh LIMBER [NAME...]
# NAME: beam, pendulum, head, others, table1, table2 or small; all but small by default, which takes about two hours on two cores.
# Writes plots to build/experiments/online and prints the tables of docs/online.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

shift
folder=build/experiments/online
mkdir -p "$folder"
cmake --build --preset release --target online > /dev/null
[ $# -gt 0 ] || set -- beam pendulum head others table1 table2
build/release/bench/online "$folder" "$@"
