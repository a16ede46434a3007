#!/usr/bin/env bash
# Fuzzes every reader of files, or those named: tools/fuzz.sh [SECONDS [NAME...]], 60 seconds per target unless told; as many at a time as there are cores.
# Needs clang.
# Fails on a crash, hang, leak or excess of memory, and says of which reader; the input that causes it stays in build/fuzz/findings.
set -euo pipefail

export seconds=${1:-60}
case $seconds in
  '' | *[!0-9]*) echo "usage: tools/fuzz.sh [SECONDS [NAME...]]" >&2; exit 2 ;;
esac
names=("${@:2}")

cd "$(dirname "${BASH_SOURCE[0]}")/.."
for name in "${names[@]}"; do
  if [ ! -f "tests/fuzz/fuzz_$name.cpp" ]; then
    echo "fuzz: there is no tests/fuzz/fuzz_$name.cpp" >&2
    exit 2
  fi
done
cmake --preset fuzz > /dev/null
nice cmake --build --preset fuzz ${names[@]+--target "${names[@]/#/fuzz_}"}

export findings=$PWD/build/fuzz/findings
mkdir -p "$findings"
corpus=$(mktemp -d)
export corpus
trap 'rm -rf "$corpus"' EXIT

fuzz() {  # fuzz NAME
  local name=$1 options=(-max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -verbosity=0 -print_funcs=0)
  if [ -f "tests/fuzz/$name.dict" ]; then options+=(-dict="tests/fuzz/$name.dict"); fi
  mkdir "$corpus/$name"
  cp -r "tests/fuzz/corpus/$name/." "$corpus/$name"
  if nice "build/fuzz/tests/fuzz/fuzz_$name" "${options[@]}" -artifact_prefix="$findings/$name-" "$corpus/$name" > "$corpus/$name.log" 2>&1; then
    echo "$name: no findings in $(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus/$name.log") inputs"
  else
    cat "$corpus/$name.log"
    echo "$name: failed; the input is in $findings"
    return 1
  fi
}
export -f fuzz

if [ ${#names[@]} -eq 0 ]; then
  for target in build/fuzz/tests/fuzz/fuzz_*; do
    if [ -x "$target" ] && [ -f "$target" ]; then names+=("${target##*/fuzz_}"); fi
  done
fi
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -I NAME bash -c 'fuzz NAME'
echo "no findings"
