#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS]
#
# Builds the fuzz targets with clang (installed if missing, with sudo if need be) and runs each for
# a while, 60 seconds unless told. New inputs that reach new code go to build/fuzz/corpus/<reader>,
# inputs that break something to build/fuzz/found. Stops at the first of these, with status 1.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1-} in
-*) no_arguments "$1" ;;
esac
no_arguments "${2-}"
seconds=${1:-60}
need_packages "${test_packages[@]}" "${fuzz_packages[@]}"
cd "$root"

configure fuzz
cmake --build --preset fuzz --target fuzz_targets
mkdir -p build/fuzz/found
for program in build/fuzz/tests/fuzz/fuzz_*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then
        continue
    fi
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
