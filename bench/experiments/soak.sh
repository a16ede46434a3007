#!/usr/bin/env bash
# Bodies in rough hands: random pulls, materials, ranks and time steps, then let go; energies, failures and rescues are counted.
#   bench/experiments/soak.sh LIMBER [STEPS [SEED]]
# STEPS: of all bodies together, 10,000,000 by default (about a quarter of an hour). Exit status 1 where a goal of docs/subspace.md is missed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
steps=${2:-10000000}
seed=${3:-1}
folder=build/experiments/soak
mkdir -p "$folder"
cmake --build --preset release --target soak > /dev/null

bodies=()
body() {  # body NAME ARGUMENTS: of limber reduce
  bodies+=("$folder/$1.glb")
  "$limber" reduce "${@:2}" -o "$folder/$1.glb" > /dev/null
}
body beam_8 'builtin:beam?cells=20,2,2' --modes 6 --rank 8
body beam_20 'builtin:beam?cells=20,2,2' --modes 12 --rank 20
body beam_40 'builtin:beam?cells=20,2,2' --rank 40
body bricks 'builtin:beam?element=brick&cells=16,2,2' --rank 24
body spoon 'builtin:spoon?cells=56'
body bridge 'builtin:bridge?cells=40' --rank 20
body tower 'builtin:tower?cells=30' --rank 20
body octopus 'builtin:octopus?cells=38' --rank 60
body flower 'builtin:flower?cells=56' --rank 30
body wire 'builtin:wire?cells=64' --rank 30 --basis inertia
body neo_hookean 'builtin:beam?cells=16,2,2' --law neo-hookean --rank 12
body mooney_rivlin 'builtin:heart?cells=22' --law mooney-rivlin --rank 20
body arruda_boyce 'builtin:beam?cells=16,2,2' --law arruda-boyce --rank 15
body corotational 'builtin:beam?cells=16,2,2' --law corotational --rank 15
body modal 'builtin:beam?cells=16,2,2' --law neo-hookean --forces modal-cubature --rank 15
body beam_3 'builtin:beam?cells=24,2,2' --domains auto:3 --rank 12
body beam_5 'builtin:beam?cells=30,2,2' --domains auto:5 --rank 8
body free_3 'builtin:beam?cells=24,2,2' --free --domains auto:3 --rank 12
body lily builtin:lily --domains regions
body letters builtin:letters
body station builtin:station
for name in beam_20 spoon flower; do bodies+=("warped:$folder/$name.glb" "linear:$folder/$name.glb"); done
body free 'builtin:beam?cells=16,2,2' --free --rank 20
for name in beam_20 spoon flower; do bodies+=("shaken:$folder/$name.glb" "carried:$folder/$name.glb"); done
bodies+=("carried:$folder/beam_3.glb" "carried:$folder/neo_hookean.glb")
body cube 'builtin:beam?size=0.2,0.2,0.2&cells=4,4,4' --free --rank 15
for name in cube free free_3 neo_hookean beam_8; do bodies+=("touching:$folder/$name.glb"); done
for law in stvk neo-hookean corotational; do bodies+=("full:$law" "thrown:$law" "online:$law"); done
build/release/bench/soak "$steps" "$seed" "${bodies[@]}"
