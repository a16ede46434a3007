#!/usr/bin/env bash
# web/install.sh: the packages of package-lock.json, where they are missing or others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
if cmp -s package-lock.json node_modules/.limber-lock; then exit 0; fi
echo "installing the packages of web/package-lock.json"
# Not `npm ci`: it asks for the optional packages of every platform to be in the lock file, and registries need not have all.
npm install --no-save --no-audit --no-fund --loglevel=error
cp package-lock.json node_modules/.limber-lock
