#!/usr/bin/env bash
# clang-tidy (see .clang-tidy) over the sources given, or over all of the library and the command: in the groups that they are compiled in, so that a group
# parses the headers of its module once. Wants a build folder, build/tidy, that is configured with groups and without precompiled headers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t units < <(sed -nE 's#^ *"file": "(.*)",?$#\1#p' build/tidy/compile_commands.json | grep -E "^$PWD/(build/tidy/)?(src/limber|apps)/" | sort -u)
if [ $# -gt 0 ]; then
  chosen=()
  for source in "$@"; do
    source=$(realpath "$source")
    mapfile -t holders < <(printf '%s\n' "${units[@]}" | grep -xF "$source" || grep -lF "\"$source\"" "${units[@]}" || true)
    if [ ${#holders[@]} -eq 0 ]; then
      echo "tidy: $source is compiled nowhere in the library or the command" >&2
      exit 2
    fi
    chosen+=("${holders[@]}")
  done
  mapfile -t units < <(printf '%s\n' "${chosen[@]}" | sort -u)
  if [ ${#units[@]} -gt "${LIMBER_MOST_TIDIED:-1000}" ]; then  # tools/touched.sh --tidy
    echo "tidy: ${#units[@]} groups and sources are more than the $LIMBER_MOST_TIDIED that are done beside other checks; ./run tidy does them"
    exit 0
  fi
fi

# GCC's warning flags in the compilation database mean nothing to clang. Groups include sources: that is what they are.
printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' --checks=-bugprone-suspicious-include \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument --extra-arg=-Wno-unused-command-line-argument \
  --extra-arg=-Wno-shadow  # GCC looks for that, source by source
echo "clang-tidy: ok, ${#units[@]} groups and sources"
