#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/soak.sh [MINUTES] [--seed S]
#
# Long checks, outside CI; 120 minutes by default, without the build and the static analysis:
#   tidy       scripts/tidy.sh --deep: static analysis of all files
#   fuzz       every fuzz target, 7/10 of the time (10 minutes each of 100), one per processor at a time
#   kills      train, tune, convert and score are killed at random moments; outputs must be absent,
#              unchanged or complete, and resuming must give the same bytes
#   mutations  damaged models and data sets with valid checksums are read by show, score and eval
#              under the address and undefined-behaviour sanitizers
#   stress     random methods, options and numbers of threads under the thread and address
#              sanitizers; models must not depend on threads or on the instruction set
#   requests   mutated requests to the server, half of the time each under the address and the thread
#              sanitizer; before that, its answers are compared with OpenAPI descriptions by Prism
#   ranks      distributed training: 20 ranks are killed (tests/soak/lost_ranks.sh), before the rest of the time
# Kills to requests run in parallel for the rest of the time. Prints progress, and a table at the end; status
# 1 if anything was found. Logs, and inputs that broke something, are in build/soak. The seed is printed;
# the same seed gives the same cases, but how many are reached depends on the machine.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

minutes=120
seed=$(($(date +%s) % 1000000))
while [ $# -gt 0 ]; do
    case $1 in
    --seed) seed=${2-} && shift ;;
    [1-9]*) minutes=$1 ;;
    *) no_arguments "$1" ;;
    esac
    shift
done
[[ $minutes =~ ^[0-9]{1,5}$ && $seed =~ ^[0-9]{1,9}$ ]] || die "usage: scripts/soak.sh [MINUTES] [--seed S]"
renice -n 19 $$ >/dev/null
cd "$root"
soak=$root/build/soak
rm -rf "$soak"
mkdir -p "$soak/found" "$soak/summary"

build_all() {
    need_packages "${test_packages[@]}" "${fuzz_packages[@]}" "${web_packages[@]}"
    configure release
    configure debug
    configure tsan
    configure fuzz
    say "$(date +%H:%M:%S) building; logs are in build/soak"
    {
        cmake --build --preset fuzz --target fuzz_targets
        cmake --build --preset release --target gradus_command soak_mutate gradus_limited
        cmake --build --preset debug --target gradus_command
        cmake --build --preset tsan --target gradus_command
    } >"$soak/build.log" 2>&1 || {
        tail -n 30 "$soak/build.log"
        die "cannot build"
    }
}

# Static analysis, with its line of the summary: the number of findings.
soak_tidy() {
    local found=0 files
    say "$(date +%H:%M:%S) static analysis"
    if ! scripts/tidy.sh --deep >"$soak/tidy.log" 2>&1; then
        found=$(grep -cE '^[^ ]+: error: ' "$soak/tidy.log") || found=1
        grep -E '^[^ ]+: error: ' "$soak/tidy.log" || tail -n 5 "$soak/tidy.log"
        cp "$soak/tidy.log" "$soak/found/"
    fi
    files=$(sed -n 's/.*clang-tidy: \([0-9]* files\).*/\1/p' "$soak/tidy.log")
    printf 'static analysis\t%s\t%d\n' "${files:-see tidy.log}" "$found" >"$soak/summary/0-tidy"
}

# Runs one fuzz target, and writes its line of the summary.
soak_fuzz() {
    local target=$1 seconds=$2 line found
    line=$(fuzz_target "$target" "$seconds" 2>&1) && found=0 || found=1
    [ "$found" -eq 0 ] || printf '%s\n' "$line"
    printf 'fuzz %s\t%s inputs\t%d\n' "$target" "$(printf '%s\n' "$line" | sed -n '1s/.*: \(.*\) inputs.*/\1/p')" \
        "$found" >"build/soak/summary/1-fuzz-$target"
    printf '== %s fuzz %s: %s\n' "$(date +%H:%M:%S)" "$target" "$(printf '%s\n' "$line" | sed -n '1s/.*: //p')"
}
export -f fuzz_target soak_fuzz

build_all
soak_tidy
say "$(date +%H:%M:%S) seed $seed, $minutes minutes"
targets=()
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    targets+=("${name#fuzz_}")
done
turns=$(((${#targets[@]} + $(nproc) - 1) / $(nproc)))
fuzz_seconds=$((minutes * 60 * 7 / 10 / turns))
rest_seconds=$((minutes * 60 * 3 / 10))
say "$(date +%H:%M:%S) ${#targets[@]} fuzz targets for $fuzz_seconds s each"
printf '%s\n' "${targets[@]}" |
    xargs -P "$(nproc)" -I{} bash -c 'soak_fuzz "$@"' soak_fuzz {} "$fuzz_seconds"
cp build/fuzz/found/* "$soak/found/" 2>/dev/null || true

# Distributed training, with its line of the summary: the number of cases that failed.
soak_ranks() {
    local found=0
    say "$(date +%H:%M:%S) lost ranks"
    tests/soak/lost_ranks.sh -s "$seed" >"$soak/ranks.log" 2>&1 || {
        found=$(grep -cE 'DIFFERENT|HANGS' "$soak/ranks.log") || found=1
        tail -n 25 "$soak/ranks.log"
        cp "$soak/ranks.log" "$soak/found/"
    }
    printf 'lost ranks\t%s\t%d\n' "$(sed -n 1p "$soak/ranks.log")" "$found" >"$soak/summary/2-ranks"
}
soak_ranks

say "$(date +%H:%M:%S) kills, mutations, stress and requests for $rest_seconds s"
parts=(kills mutations stress requests)
jobs=()
for i in "${!parts[@]}"; do
    "$root/scripts/soak/${parts[i]}.sh" "$rest_seconds" $((seed + i)) &
    jobs+=($!)
done
for job in "${jobs[@]}"; do
    wait "$job" || true
done
for part in "${parts[@]}"; do
    compgen -G "$soak/summary/*-$part*" >/dev/null ||
        printf '%s\tended early\t1\n' "$part" >"$soak/summary/9-$part"
done

printf '\n%-28s %-44s %s\n' check amount findings
findings=0
while IFS=$'\t' read -r what amount found; do
    printf '%-28s %-44s %s\n' "$what" "$amount" "$found"
    findings=$((findings + found))
done < <(cat "$soak"/summary/*)
printf '\nseed %s, %s in all: %s findings\n' "$seed" "$(duration $SECONDS)" "$findings"
[ "$findings" -eq 0 ] || die "findings are in build/soak/found"
