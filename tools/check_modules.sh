#!/usr/bin/env bash
# Fails when a module includes one that stands to its right in the order below (docs/architecture.md), or when a source outside of linalg/ names one of
# Eigen's decompositions: each that does compiles it again.
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

members='ldlt|llt|lu|partialPivLu|fullPivLu|(householder|(col|full)PivHouseholder)Qr|completeOrthogonalDecomposition|(jacobi|bdc)Svd'
types='[A-Za-z]*(LDLT|LLT|LU|QR|SVD|EigenSolver|QZ|Schur|HessenbergDecomposition|Tridiagonalization|CompleteOrthogonalDecomposition)'
headers='Cholesky|QR|SVD|Eigenvalues|Dense|Eigen|SparseCholesky|SparseLU|SparseQR|CholmodSupport'
while IFS=: read -r file line text; do
  echo "$file:$line: names a decomposition of Eigen's; call linalg/, which compiles it once: $(sed -E 's/^ +//' <<< "$text")"
  failures=$((failures + 1))
done < <(git ls-files '*.hpp' '*.cpp' | grep -v '^src/limber/linalg/' |
  xargs grep -nHE "[.>]($members)\(|\bEigen::($types)\b|#include <Eigen/($headers)>" || true)

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "module order and decompositions: ok"
