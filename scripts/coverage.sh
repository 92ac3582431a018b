#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/coverage.sh
#
# Builds with coverage counters (preset coverage), runs the tests and prints, for each folder of
# src/ and cli/, the lines that the tests ran. For an HTML page per file: genhtml build/coverage/lines.info
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

no_arguments "${1-}"
need_packages "${test_packages[@]}" lcov
folder=$root/build/coverage

configure coverage
build coverage
find "$folder" -name '*.gcda' -delete
(cd "$root" && ctest --preset coverage -j "$(nproc)" --timeout 300)

# lcov is noisy on standard error even if all is well: shown only if it fails.
run_lcov() {
    lcov --quiet "$@" 2>"$folder/lcov.log" || {
        cat "$folder/lcov.log" >&2
        die "lcov $1 failed"
    }
}

# The initial capture counts the lines of files that no test reached.
capture=(--capture --directory "$folder" --base-directory "$root" --no-external
    --include "$root/src/*" --include "$root/experiments/*" --include "$root/cli/*")
run_lcov "${capture[@]}" --initial --output-file "$folder/none.info"
run_lcov "${capture[@]}" --output-file "$folder/run.info"
run_lcov --add-tracefile "$folder/none.info" --add-tracefile "$folder/run.info" \
    --output-file "$folder/lines.info"

say "lines run by the tests"
awk -v root="$root/" -v row='%-20s %6d of %6d  %5.1f %%\n' '
    /^SF:/ { folder = substr($0, 4); sub(root, "", folder); sub("/[^/]*$", "", folder) }
    /^LF:/ { lines[folder] += substr($0, 4); all += substr($0, 4) }
    /^LH:/ { run[folder] += substr($0, 4); all_run += substr($0, 4) }
    END {
        for (folder in lines)
            printf row, folder, run[folder], lines[folder],
                100 * run[folder] / lines[folder] | "sort"
        close("sort")
        printf row, "all", all_run, all, 100 * all_run / all
    }' "$folder/lines.info"
