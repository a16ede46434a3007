#!/usr/bin/env bash
# The same animation through the classical and the fast precomputation, against the full solver: Yang et al. 2015, Figure 14.
#   bench/experiments/pipelines.sh LIMBER [quick]    quick: 30 steps
# An octopus is let go under its weight. Writes build/experiments/pipelines/pipelines.svg and prints the table of
# docs/precomputation.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
folder=build/experiments/pipelines
mkdir -p "$folder"
steps=120
if [ "${2:-}" = quick ]; then steps=30; fi
cat > "$folder/scene.json" <<JSON
{
  "gravity": [0, 0, -9.81],
  "bodies": [{"name": "octopus", "mesh": "builtin:octopus", "damping": {"mass": 1.0, "stiffness": 0.002},
              "forces": {"amplitude": 0.25}}],
  "solver": {"type": "dynamic", "timestep": 0.01, "steps": $steps}
}
JSON
"$limber" compare "$folder/scene.json" --modes 12 --rank 30 --basis derivatives/exact --basis inertia/exact \
  --basis inertia/cubature --basis inertia-random/modal-cubature --plot "$folder/pipelines.svg"
