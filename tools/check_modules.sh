#!/usr/bin/env bash
# Fails when a module includes one that stands to its right in the order below (docs/architecture.md).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

order=(base linalg mesh material bodies fem integrators full basis reduced warp precompute multidomain online contact body sound scene draw io run limber.hpp)

declare -A rank
for i in "${!order[@]}"; do rank[${order[$i]}]=$i; done

failures=0
while IFS=: read -r file line include; do
  from=$(cut -d/ -f3 <<< "$file")
  to=$(sed -E 's|.*"limber/([a-z_]+)/.*|\1|' <<< "$include")
  if [ -z "${rank[$from]:-}" ] || [ -z "${rank[$to]:-}" ]; then
    echo "$file:$line: module '$from' or '$to' is not in the order of tools/check_modules.sh"
    failures=$((failures + 1))
  elif [ "${rank[$to]}" -gt "${rank[$from]}" ]; then
    echo "$file:$line: module '$from' includes '$to', which stands to its right"
    failures=$((failures + 1))
  fi
done < <(grep -rnE '#include "limber/[a-z_]+/' src/limber --include='*.hpp' --include='*.cpp')

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "module order: ok"
