#!/usr/bin/env bash
# Fails, and names the files, when a C++ source is not formatted as .clang-format says, or has a comment that is longer than a line of code may be. Formulas and
# drawings, which are indented, may.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror
longer=$(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' | xargs grep -nE '^.{111,}' | grep '//' | grep -vE '^[^:]*:[0-9]+:(.*"|\s*//+  )' || true)
if [ -n "$longer" ]; then
  echo "comments of more than 110 characters:" >&2
  echo "$longer" >&2
  exit 1
fi
echo "formatting: ok"
