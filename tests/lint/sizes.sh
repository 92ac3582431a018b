#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Functions have at most 80 lines (from the opening to the closing brace, both in the first column),
# files at most 700. Files of the Python package have at most 800 lines, and the lines 100 columns, in
# tests 115.
# usage: sizes.sh SOURCE BUILD
set -u
source=$1
found=$(
    for folder in include src experiments cli server python/src tests bench; do
        [[ -d $source/$folder ]] && find "$source/$folder" -name '*.[ch]'
    done | sort | while read -r file; do
        awk -v file="${file#"$source"/}" '
            FNR == 701 { print "sizes: " file " has more than 700 lines" }
            /^\{$/ { start = FNR }
            /^\}/ && start {
                if (FNR - start + 1 > 80)
                    print "sizes: " file ":" start ": a function of " FNR - start + 1 " lines"
                start = 0
            }' "$file"
    done
    [[ ! -d $source/python ]] || (cd "$source" && find python -name '*.py') | sort | while read -r file; do
        awk -v file="$file" '
            BEGIN { most = file ~ /^python\/tests\// ? 115 : 100 }
            FNR == 801 { print "sizes: " file " has more than 800 lines" }
            length($0) > most { print "sizes: " file ":" FNR ": " length($0) " columns" }' "$source/$file"
    done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
