#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fuzz.sh [SECONDS] [TARGET...]
#
# Builds the fuzz targets with clang (installed if missing, with sudo if need be) and runs each for
# SECONDS, 60 by default, one per processor at a time. New inputs that reach new code go to
# build/fuzz/corpus/<target>, inputs that break something to build/fuzz/found. Runs all of them
# whatever is found, and ends with status 1 if something was.
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
    for source in tests/fuzz/*.c; do
        name=$(basename "$source" .c)
        [ "$name" = replay ] || targets+=("$name")
    done
fi
export -f fuzz_target
printf '%s\n' "${targets[@]}" |
    xargs -P "$(nproc)" -I{} bash -c 'fuzz_target "$@"' fuzz_target {} "$seconds"
