#!/usr/bin/env bash
# tests/viewers/make_and_check.sh LIMBER FOLDER: a small model and small trees of domains, one above a ground, with clips of their motion, made by the
# command and checked by check.sh.
set -euo pipefail
limber=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$2"
body="builtin:beam?size=1,0.1,0.1&cells=16,2,2"
"$limber" reduce "$body" --young 1e5 --fixed-where "x < 0.01" --modes 6 --rank 12 -o beam.glb
"$limber" simulate beam.glb -o beam_clip.glb --seconds 0.5
"$here/check.sh" beam.glb beam_clip.glb
"$limber" reduce "$body" --young 1e5 --fixed-where "x < 0.01" --domains auto:3 --rank 8 -o beam_tree.glb
"$limber" simulate beam_tree.glb -o beam_tree_clip.glb --seconds 0.5
"$here/check.sh" beam_tree.glb beam_tree_clip.glb
"$limber" reduce "$body" --young 1e5 --domains auto:3 --rank 8 --free -o free_tree.glb
"$limber" simulate free_tree.glb -o ground_clip.glb --seconds 0.5 --ground -1
"$here/check.sh" free_tree.glb ground_clip.glb
