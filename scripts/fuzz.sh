#!/bin/sh
# Builds the fuzz targets and runs each for a while (seconds; 60 unless told). New inputs that
# reach new code go to build/fuzz/corpus/<reader>, inputs that break something to build/fuzz/found.
# Stops with status 1 at the first finding.
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
    log=build/fuzz/$reader.log
    printf '%s: ' "$reader"
    if nice -n 19 "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/found/$reader-" \
        "build/fuzz/corpus/$reader" "tests/fuzz/corpus/$reader" >"$log" 2>&1; then
        sed -n 's/^stat::number_of_executed_units: *\(.*\)/\1 inputs, no findings/p' "$log"
    else
        echo "broken"
        tail -n 40 "$log"
        exit 1
    fi
done
