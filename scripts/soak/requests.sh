#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/soak/requests.sh SECONDS SEED: a part of scripts/soak.sh.
#
# Sends mutated requests to the server: half of the time each to the builds with address and thread sanitizers
# (tests/server/mutate.mjs). Before that, compares the answers with OpenAPI descriptions (tests/server/conformance.sh).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/soak_lib.sh"
begin_part "$1" "$2"

status=0
"$root/tests/server/conformance.sh" "$gradus" "$root/build/prism" >conformance.log 2>&1 || status=$?
cat conformance.log
case $status in
0) summary "OpenAPI conformance" "$(awk '/ requests, / { n += $(NF - 3) } END { print n + 0 }' conformance.log) requests" 0 ;;
77) summary "OpenAPI conformance" "$(head -n 1 conformance.log)" 0 ;;
*)
    finding "OpenAPI conformance: status $status" conformance.log
    summary "OpenAPI conformance" "see found/" 1
    ;;
esac

# mutate NAME GRADUS [WORD...]: sends requests for half of the time; the words precede the command.
mutate() {
    local name=$1 status=0 what=
    mkdir -p "$soak/requests-$name"
    GRADUS=$2 FOUND=$soak/requests-$name "${@:3}" node "$root/tests/server/mutate.mjs" "$half" "$seed" \
        >"$soak/requests-$name.log" 2>&1 || status=$?
    tail -n 1 "$soak/requests-$name.log"
    what=$(sed -n 's/^\([0-9]* requests\), .*/\1/p' "$soak/requests-$name.log")
    [ $status -eq 0 ] || finding "mutated requests, $name sanitizer: status $status" \
        "$soak/requests-$name.log" "$soak/requests-$name"
    summary "requests, $name sanitizer" "${what:-ended early}" $((status != 0))
}

seed=$2
half=$(((end - SECONDS) / 2))
[ $half -gt 5 ] || half=5
mutate address "$asan_gradus" env
find_tsan
if [ -n "$has_tsan" ]; then
    mutate thread "$tsan_gradus" env "${run_tsan[@]}"
else
    summary "requests, thread sanitizer" "skipped: it cannot run here" 0
fi
