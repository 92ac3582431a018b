#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every C file is formatted by .clang-format. Other versions of clang-format break lines in other
# places, so that only version 14 (Debian 12) counts; status 77 where it is not installed.
# usage: format.sh SOURCE BUILD
set -u
source=$1
tool=
for name in clang-format-14 clang-format; do
    [[ $("$name" --version 2>/dev/null) == *"version 14."* ]] && { tool=$name; break; }
done
if [[ -z $tool ]]; then
    echo 'skipped: clang-format 14 is not installed (Debian: clang-format)'
    exit 77
fi
cd "$source" || exit 1
found=$(find include src experiments cli server python/src tests bench -name '*.[ch]' -print0 2>/dev/null |
    xargs -0 -r -P "$(nproc)" -n 50 "$tool" --dry-run --style=file -Werror 2>&1 |
    sed -nE 's/^([^ ]+:[0-9]+):[0-9]+: error: code should be clang-formatted.*/\1/p' | sort -u -t: -k1,1)
[[ -z $found ]] && exit 0
while read -r place; do
    echo "format: $place: run clang-format -i on this file"
done <<<"$found"
exit 1
