#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Functions have at most 80 lines (from the opening to the closing brace, both in the first column),
# files at most 700. Public headers are also manuals, and may have 1,600.
# usage: sizes.sh SOURCE BUILD
set -u
source=$1
found=$(
    for folder in include src experiments cli tests bench; do
        [[ -d $source/$folder ]] && find "$source/$folder" -name '*.[ch]'
    done | sort | while read -r file; do
        awk -v file="${file#"$source"/}" '
            BEGIN { most = file ~ /^include\// ? 1600 : 700 }
            FNR == most + 1 { print "sizes: " file " has more than " most " lines" }
            /^\{$/ { start = FNR }
            /^\}/ && start {
                if (FNR - start + 1 > 80)
                    print "sizes: " file ":" start ": a function of " FNR - start + 1 " lines"
                start = 0
            }' "$file"
    done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
