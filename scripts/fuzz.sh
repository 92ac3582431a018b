#!/usr/bin/env bash
# scripts/fuzz.sh [SECONDS]
#
# Builds the fuzz targets with clang (installed if missing, with sudo if need be) and runs each for
# a while, 60 seconds unless told. New inputs that reach new code go to build/fuzz/corpus/<reader>,
# inputs that break something to build/fuzz/found.
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
    say "$reader: $seconds s"
    nice -n 19 "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="build/fuzz/found/$reader-" \
        "build/fuzz/corpus/$reader" "tests/fuzz/corpus/$reader"
done
say "no findings"
