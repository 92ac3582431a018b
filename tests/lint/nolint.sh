#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every exception from clang-tidy names its check and a reason:
#     /* NOLINT(check-name): reason */    or NOLINTNEXTLINE
# usage: nolint.sh SOURCE BUILD
set -u
cd "$1" || exit 1
found=$(
    find include src experiments cli server python/src bench tests -name '*.[ch]' -print0 2>/dev/null | sort -z |
        xargs -0 -r grep -n NOLINT /dev/null |
        grep -vE 'NOLINT(NEXTLINE)?\((bugprone|clang-analyzer)-[A-Za-z.-]+\): [^ *]'
)
[[ -z $found ]] && exit 0
while read -r line; do
    echo "nolint: $line: expected NOLINT(check-name): reason"
done <<<"$found"
exit 1
