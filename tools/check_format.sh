#!/usr/bin/env bash
# Fails, and names the files, when a C++ source is not formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror
echo "formatting: ok"
