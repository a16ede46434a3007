#!/usr/bin/env bash
# web/check.sh: types, lint and formatting of everything under web/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./install.sh
npx tsc --noEmit -p .
npx eslint .
npx prettier --check --log-level warn .
echo "web: ok"
