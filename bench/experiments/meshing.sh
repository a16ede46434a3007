#!/usr/bin/env bash
# Meshes real surfaces with `limber mesh` and with CGAL's Mesh_3 and prints the table of docs/meshing.md. Needs libcgal-demo, which has
# the surfaces and brings CGAL; ./run experiment meshing installs it.
#   bench/experiments/meshing.sh LIMBER [SIZES]    SIZES: element counts, by default "50000 200000"; "quick": 20000, without CGAL
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

limber=$1
sizes=${2:-50000 200000}
peer=yes
if [ "$sizes" = quick ]; then
  sizes=20000
  peer=no
fi

folder=build/experiments/meshing
mkdir -p "$folder"
surfaces=(bunny00 armadillo bear)
for name in "${surfaces[@]}"; do
  if [ ! -f "$folder/$name.off" ]; then
    tar xzf /usr/share/doc/libcgal-dev/data.tar.gz -C "$folder" --strip-components=2 "data/meshes/$name.off"
  fi
done

if [ "$peer" = yes ] && [ ! -x "$folder/cgal_mesh_3" -o bench/peers/cgal_mesh_3.cpp -nt "$folder/cgal_mesh_3" ]; then
  echo "compiling the peer (a minute)" >&2
  g++ -std=c++17 -O3 -march=native -DNDEBUG bench/peers/cgal_mesh_3.cpp -o "$folder/cgal_mesh_3" -lgmp -lmpfr
fi

# row NAME PROGRAM JSON SURFACE_VOLUME
row() {
  jq -r --arg name "$1" --arg program "$2" --argjson volume "$4" \
    '"| \($name) | \($program) | \(.elements) | \(.seconds * 100 | round / 100) | \(.smallest_dihedral_degrees * 10 | round / 10) to \(
      .largest_dihedral_degrees * 10 | round / 10) | \((.volume / $volume - 1) * 100000 | round / 1000) |"' <<< "$3"
}

echo "| surface | program | elements | seconds | dihedral angles (degrees) | volume error (%) |"
echo "| --- | --- | --- | --- | --- | --- |"
for name in "${surfaces[@]}"; do
  for size in $sizes; do
    ours=$("$limber" mesh "$folder/$name.off" -o "$folder/$name-$size.msh" --target-elements "$size" --json)
    volume=$(jq .meshing.surface_volume <<< "$ours")
    row "$name" "limber mesh" "$ours" "$volume"
    if [ "$peer" = yes ]; then
      row "$name" "CGAL Mesh_3" "$("$folder/cgal_mesh_3" "$folder/$name.off" "$size")" "$volume"
    fi
  done
done
