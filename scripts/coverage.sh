#!/usr/bin/env bash
# scripts/coverage.sh
#
# Builds with coverage counters (preset coverage), runs the tests and prints, for each folder of
# src/ and cli/, the lines that the tests ran. For a page a file: genhtml build/coverage/lines.info
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

no_arguments "${1-}"
need_packages "${test_packages[@]}" lcov
folder=$root/build/coverage

configure coverage
build coverage
find "$folder" -name '*.gcda' -delete
(cd "$root" && ctest --preset coverage -j "$(nproc)" --timeout 300)

lcov --quiet --capture --directory "$folder" --base-directory "$root" --no-external \
    --include "$root/src/*" --include "$root/cli/*" --output-file "$folder/lines.info"

say "lines run by the tests"
awk -v root="$root/" '
    /^SF:/ { folder = substr($0, 4); sub(root, "", folder); sub("/[^/]*$", "", folder) }
    /^LF:/ { lines[folder] += substr($0, 4); all += substr($0, 4) }
    /^LH:/ { run[folder] += substr($0, 4); all_run += substr($0, 4) }
    function row(name, hit, of) {
        printf "%-20s %6d of %6d  %5.1f %%\n", name, hit, of, of ? 100 * hit / of : 0
    }
    END {
        for (folder in lines)
            row(folder, run[folder], lines[folder]) | "sort"
        close("sort")
        row("all", all_run, all)
    }' "$folder/lines.info"
