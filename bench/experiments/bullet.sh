#!/usr/bin/env bash
# A block that flies and falls, in limber and as the reduced deformable body of Bullet (Debian's libbullet-dev): the table of docs/contact.md, in some minutes.
#   bench/experiments/bullet.sh LIMBER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --preset release > /dev/null  # which looks whether there is a Bullet
cmake --build --preset release --target bullet > /dev/null
build/release/bench/bullet
