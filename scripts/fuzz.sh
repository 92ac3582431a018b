#!/bin/sh
# Builds the fuzz targets and runs each for a while (seconds; 60 unless told). New inputs that
# reach new code go to build/fuzz/corpus/<reader>, inputs that break something to build/fuzz/found.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
command -v clang >/dev/null || { echo "fuzz.sh: needs clang" >&2; exit 2; }

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_targets
mkdir -p build/fuzz/found
for program in build/fuzz/tests/fuzz/fuzz_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    reader=${program##*/fuzz_}
    mkdir -p "build/fuzz/corpus/$reader"
    echo "== $reader: $seconds s"
    nice -n 19 "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="build/fuzz/found/$reader-" \
        "build/fuzz/corpus/$reader" "tests/fuzz/corpus/$reader"
done
echo "no findings"
