#!/usr/bin/env bash
# What takes hours for everything, over what a change touched alone: tools/touched.sh [BASE]. BASE: the commit before the change, origin/main unless told.
# The tests of the modules under the address and undefined-behaviour sanitizers and under the thread sanitizer, clang-tidy over the sources,
# and each reader fuzzed for some seconds where a reader may have changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base=${1:-origin/main}
if ! git rev-parse --quiet --verify "$base^{commit}" > /dev/null; then
  echo "touched: there is no commit '$base'; name the one before the change" >&2
  exit 2
fi
mapfile -t files < <(git diff --name-only --diff-filter=d "$base"; git ls-files --others --exclude-standard)

modules=()
for module in $(printf '%s\n' "${files[@]}" | sed -nE 's#^(src/limber|tests)/([a-z]+)/.*#\2#p; s#^(apps)/.*#\1#p' | sort -u); do
  case $module in
    integrators) modules+=(full reduced online) ;;  # whose tests are those of who steps by them
    fuzz | support | tools | web | viewers | package | reference | convergence | determinism) ;;  # no module of their own
    *) modules+=("$module") ;;
  esac
done
mapfile -t modules < <(printf '%s\n' "${modules[@]}" | sort -u | sed '/^$/d')
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '^(src|apps)/.*\.cpp$' || true)
echo "modules: ${modules[*]:-none}; sources: ${#sources[@]}"

if [ ${#modules[@]} -gt 0 ]; then
  ./run test asan "${modules[@]}"
  ./run test tsan "${modules[@]}"
fi
if [ ${#sources[@]} -gt 0 ]; then ./run tidy "${sources[@]}"; fi
if printf '%s\n' "${files[@]}" | grep -qE '^(src/limber/io|tests/fuzz)/'; then ./run fuzz 20; fi
