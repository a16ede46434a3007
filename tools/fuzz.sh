#!/bin/sh
# Fuzzes every reader of files: tools/fuzz.sh [SECONDS], 60 seconds per target unless told. Needs clang.
# Fails on the first crash, hang, leak or excess of memory; the input that causes it stays in build/fuzz/findings.
set -eu

seconds=${1:-60}
case $seconds in
  '' | *[!0-9]*) echo "usage: tools/fuzz.sh [SECONDS]" >&2; exit 2 ;;
esac

cd "$(dirname "$0")/.."
cmake --preset fuzz > /dev/null
nice cmake --build --preset fuzz

findings=$PWD/build/fuzz/findings
mkdir -p "$findings"
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT

for target in build/fuzz/tests/fuzz/fuzz_*; do
  [ -x "$target" ] && [ -f "$target" ] || continue
  name=${target##*/fuzz_}
  echo "== $name, $seconds s"
  mkdir "$corpus/$name"
  cp -r "tests/fuzz/corpus/$name/." "$corpus/$name"
  set -- -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -verbosity=0 -print_funcs=0 \
    -artifact_prefix="$findings/$name-"
  [ -f "tests/fuzz/$name.dict" ] && set -- "$@" -dict="tests/fuzz/$name.dict"
  nice "$target" "$@" "$corpus/$name"
done
echo "no findings"
