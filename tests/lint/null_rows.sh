#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every public function with pointer arguments has a line in tests/unit/null_rows.def, or is known
# to accept NULL.
# usage: null_rows.sh SOURCE BUILD
set -u
source=$1
accepts_null='^gradus_(version|context_new|context_split|context_threads|[a-z_]*_free|output_abandon)$'
found=$(
    find "$source/include" -name '*.h' -exec cat {} + | grep -v '^#' | tr '\n' ' ' |
        grep -oE 'GRADUS_API [^;(]*\([^;]*\);' | grep -E '\(.*[*[]' |
        grep -oE 'gradus_[a-z_0-9]+\(' | tr -d '(' | sort -u |
        grep -vE "$accepts_null" | while read -r name; do
        grep -qE "^[A-Z_]+\($name," "$source/tests/unit/null_rows.def" ||
            echo "null_rows: $name has no row in tests/unit/null_rows.def"
    done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
