#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/tidy.sh [--deep] [FILE...]
#
# Static analysis: clang-tidy 14 with the checks of .clang-tidy over every .c file of the library, the
# command and the benchmarks, or over the files given, one per processor at a time. The analyzer gives
# up on a function after 20,000 states; with --deep after 225,000, its default, which takes five times
# as long. Prints the findings; status 1 if there are any. Uses the compile commands of
# build/release, which is configured if necessary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/tally.sh"

limit=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=20000)
case ${1-} in
--deep) limit=() && shift ;;
-*) no_arguments "$1" ;;
esac
need_packages "${test_packages[@]}" "${tidy_packages[@]}"
tool=
for name in clang-tidy-14 clang-tidy; do
    [[ $("$name" --version 2>/dev/null) == *"version 14."* ]] && tool=$name && break
done
if [ -z "$tool" ]; then
    tally_skipped "tidy: clang-tidy 14 is not installed" "static analysis"
    tally_end
    exit
fi

cd "$root"
configured_here release || configure release
commands=build/release/compile_commands.json
if [ $# -gt 0 ]; then
    files=("$@")
else
    mapfile -t files < <(jq -r '.[].file' "$commands" | grep -E "^$root/(src|experiments|cli|server|python|bench)/" | sort -u)
fi
[ ${#files[@]} -gt 0 ] || die "no files in $commands"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
printf '%s\0' "${files[@]}" |
    xargs -0 -P "$(nproc)" -n 1 "$tool" --quiet -p build/release "${limit[@]}" >"$log" 2>&1 || status=1
# without the counts of warnings in headers of the system
grep -vE '^([0-9]+ warnings?( and [0-9]+ errors?)? generated\.|[0-9]+ warnings? treated as errors?)$' "$log" |
    sed "s|^$root/||" || true
[ $status -eq 0 ] || die "clang-tidy has findings"
say "clang-tidy: ${#files[@]} files in $(duration $SECONDS), no findings"
