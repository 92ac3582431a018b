#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fuzz.sh [SECONDS] [TARGET...]
#
# Builds the fuzz targets with clang (installed if missing, with sudo if necessary) and runs each for
# SECONDS (default 60), one per processor at a time. Inputs that reach new code are kept in
# build/fuzz/corpus/<target>, inputs that break something in build/fuzz/found. All targets are run,
# whatever is found; the exit status is 1 if anything was.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1-} in
-*) no_arguments "$1" ;;
esac
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || no_arguments "$seconds"
[ $# -eq 0 ] || shift
need_packages "${test_packages[@]}" "${fuzz_packages[@]}"
cd "$root"

configure fuzz
nice -n 19 cmake --build --preset fuzz --target fuzz_targets
mkdir -p build/fuzz/found
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        targets+=("${name#fuzz_}")
    done
fi
export -f fuzz_target
printf '%s\n' "${targets[@]}" |
    xargs -P "$(nproc)" -I{} bash -c 'fuzz_target "$@"' fuzz_target {} "$seconds"
