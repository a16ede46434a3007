#!/usr/bin/env bash
# clang-tidy (see .clang-tidy) over the sources given, or over all of the library and the command.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
files=("$@")
if [ ${#files[@]} -eq 0 ]; then mapfile -t files < <(git ls-files 'src/*.cpp' 'apps/*.cpp'); fi
# GCC's warning flags in the compilation database mean nothing to clang.
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet --warnings-as-errors='*' \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument --extra-arg=-Wno-unused-command-line-argument
echo "clang-tidy: ok"
