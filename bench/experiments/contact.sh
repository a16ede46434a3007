#!/usr/bin/env bash
# Bodies that fall onto ground, stairs, a bridge and each other: depth, energy, and what a step costs.
#   bench/experiments/contact.sh LIMBER [NAME...]
# NAME: drop, stairs, bridge, rain, pile or small (seconds); all but small by default, which takes some minutes.
# Prints the tables of docs/contact.md; the models go to build/experiments/contact.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
shift
folder=build/experiments/contact
mkdir -p "$folder"
make_model() { if [ ! -f "$folder/$1.glb" ]; then "$limber" reduce "$2" -o "$folder/$1.glb" "${@:3}" > /dev/null; fi; }
make_model block 'builtin:beam?size=0.2,0.2,0.2&cells=8,8,8' --free --rank 30 --young 1e6
case "${*:-all}" in
  small) ;;
  *)
    make_model octopus builtin:octopus --free --rank 30
    make_model dragon builtin:dragon --free --modes 18 --rank 18
    make_model bridge builtin:bridge --rank 15
    ;;
esac
cmake --build --preset release --target contact > /dev/null
build/release/bench/contact "$folder" "$@"
