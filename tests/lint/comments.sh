#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every function of the public headers has its own comment, directly above it.
# usage: comments.sh SOURCE BUILD
set -u
source=$1
found=$(
    find "$source/include" -name '*.h' | sort | while read -r file; do
        awk -v file="${file#"$source"/}" '
            /^GRADUS_API/ && before !~ /\*\/$/ {
                print "comments: " file ":" FNR ": no comment above: " $0
            }
            { before = $0 }' "$file"
    done
)
[[ -z $found ]] && exit 0
echo "$found"
exit 1
