#!/usr/bin/env bash
# What takes hours for everything, over what a change touched alone: tools/touched.sh [--list | --tidy] [BASE].
# BASE: the commit before the change; unless told, where this branch left origin/main, and the commit before the last where nothing changed since.
# The tests of the modules under the address and undefined-behaviour sanitizers, and under the thread sanitizer those of modules that use threads; clang-tidy
# over the sources, for a header over one that includes it; each reader fuzzed for 20 seconds that may have changed.
#   --tidy  clang-tidy alone, and only where that is a matter of minutes: for .ci/run.   --list  says what would be done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

most_tidied=6  # groups of sources for --tidy: each takes about a minute of a core

mode=all
case ${1:-} in
  --tidy | --list) mode=${1#--}; shift ;;
  -*) echo "usage: tools/touched.sh [--list | --tidy] [BASE]" >&2; exit 2 ;;
esac

is_commit() { git rev-parse --quiet --verify "$1^{commit}" > /dev/null; }
files_since() { { git diff --name-only --diff-filter=d "$1"; git ls-files --others --exclude-standard; } | sort -u; }

if [ $# -gt 0 ]; then
  base=$1 why="as told"
  if ! is_commit "$base"; then
    echo "touched: there is no commit '$base'; name the one before the change" >&2
    exit 2
  fi
elif base=$(git merge-base HEAD origin/main 2> /dev/null) && [ -n "$(files_since "$base")" ]; then
  why="where this branch left origin/main"
elif is_commit HEAD~1; then
  base=$(git rev-parse HEAD~1) why="before the last commit"
else
  echo "touched: there is no commit to compare with, as in a shallow clone; nothing is done"
  exit 0
fi
mapfile -t files < <(files_since "$base")
matching() { printf '%s\n' "${files[@]}" | grep -E "$1" || true; }

# Modules whose tests are run: the name of a module is that of its test program, test_NAME.
modules=()
for module in $(matching . | sed -nE 's#^(src/limber|tests)/([a-z]+)/.*#\2#p; s#^(apps|adapters)/.*#\1#p' | sort -u); do
  case $module in
    integrators) modules+=(full reduced online) ;;  # whose tests are those of who steps by them
    adapters) modules+=(bullet) ;;                  # the only one; it has tests where there is a Bullet
    fuzz | support | tools | web | viewers | package | reference | convergence) ;;  # no programs of their own, or such that sanitizers take hours for
    *) modules+=("$module") ;;
  esac
done
mapfile -t modules < <(printf '%s\n' "${modules[@]}" | sort -u | sed '/^$/d')

uses_threads() {  # uses_threads MODULE
  local folder=src/limber/$1
  case $1 in apps) folder=apps ;; bullet) folder=adapters ;; esac
  [ -d "$folder" ] && grep -rqE '\bExecutor\b|parallel_for|std::(jthread|thread|async|atomic|mutex)\b' "$folder"
}
threaded=()
for module in "${modules[@]}"; do if uses_threads "$module"; then threaded+=("$module"); fi; done

# clang-tidy looks at sources; at a header in one that includes it: its own, else the first of its module, else of any.
sources=()
for file in $(matching '^(src/limber|apps)/.*\.cpp$'); do sources+=("$file"); done
for header in $(matching '^(src/limber|apps)/.*\.hpp$'); do
  if [ -f "${header%.hpp}.cpp" ]; then
    sources+=("${header%.hpp}.cpp")
  else
    includes="#include \"${header#src/}\""
    source=$({ grep -rlF --include='*.cpp' "$includes" "$(dirname "$header")"; grep -rlF --include='*.cpp' "$includes" src/limber apps; } | head -1 || true)
    if [ -n "$source" ]; then sources+=("$source"); else echo "touched: no source includes $header itself: clang-tidy does not see it"; fi
  fi
done
mapfile -t sources < <(printf '%s\n' "${sources[@]}" | sort -u | sed '/^$/d')

# A reader may have changed where its target or seeds did, what its target includes or is called like it, or what all readers share.
readers=()
for target in tests/fuzz/fuzz_*.cpp; do
  name=${target#tests/fuzz/fuzz_} name=${name%.cpp}
  own=$(sed -nE 's|^#include "limber/(io/[a-z_]+)\.hpp".*|\1|p' "$target" | paste -sd '|')
  shared='base/(text|file)|io/(text_source|json_parse|json_schema|gltf_json|gltf_container|gltf_accessor)|io/mesh_parts'
  if [ -n "$(matching "^tests/fuzz/(fuzz_$name\\.cpp|$name\\.dict|corpus/$name/|[a-z_]+\\.hpp)|^src/limber/(${own:-none}|io/$name[a-z_]*|$shared)\\.[ch]pp$")" ]; then
    readers+=("$name")
  fi
done

echo "since $(git rev-parse --short "$base") ($why): ${#files[@]} files; modules: ${modules[*]:-none}; with threads: ${threaded[*]:-none}; for clang-tidy: ${sources[*]:-none}; readers: ${readers[*]:-none}"
if [ "$mode" = list ]; then exit 0; fi

if [ ${#sources[@]} -gt 0 ]; then
  if [ "$mode" = tidy ]; then export LIMBER_MOST_TIDIED=$most_tidied; fi
  ./run tidy "${sources[@]}"
fi
if [ "$mode" = tidy ]; then exit 0; fi
if [ ${#modules[@]} -gt 0 ]; then ./run test asan "${modules[@]}"; fi
if [ ${#threaded[@]} -gt 0 ]; then ./run test tsan "${threaded[@]}"; fi
if [ ${#readers[@]} -gt 0 ]; then ./run fuzz 20 "${readers[@]}"; fi
