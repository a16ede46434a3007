#!/usr/bin/env bash
# Bodies that fall onto ground, stairs, a bridge and each other: depth, energy, and what a step costs.
#   bench/experiments/contact.sh LIMBER [NAME...]
# NAME: drop, stairs, bridge, multibody, rain, storm, pile, hertz, full or small (seconds); all but small by default, which takes some minutes.
# rain:FIRST:LAST and storm:FIRST:LAST are parts of these. Exit status 1 where one of its drops fails.
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
  small | multibody | hertz | full) ;;
  *)
    make_model octopus builtin:octopus --free --rank 30
    make_model dragon builtin:dragon --free --modes 18 --rank 18
    make_model bridge builtin:bridge --rank 15
    ;;
esac
case "${*:-all}" in
  *rain* | *storm* | all)
    make_model plate 'builtin:beam?size=0.4,0.4,0.02&cells=16,16,1' --free --rank 20
    make_model stick 'builtin:beam?size=0.5,0.03,0.03&cells=20,2,2' --free --rank 12
    make_model spoon 'builtin:spoon?cells=56' --free --rank 20
    make_model wire 'builtin:wire?cells=64' --free --rank 20
    make_model heart 'builtin:heart?cells=22' --free --law neo-hookean --rank 15
    make_model octopus builtin:octopus --free --rank 30
    make_model chain 'builtin:beam?size=0.6,0.06,0.06&cells=24,2,2' --free --domains auto:4 --rank 6
    make_model lily builtin:lily --free --domains regions --rank 6
    ;;
esac
cmake --build --preset release --target contact > /dev/null
build/release/bench/contact "$folder" "$@"
