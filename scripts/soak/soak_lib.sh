# SPDX-License-Identifier: Apache-2.0
# Functions shared by the parts of scripts/soak.sh. Each part takes SECONDS and a seed, prints progress,
# keeps its findings in build/soak/found and writes lines of the summary: what, how much, findings.
# shellcheck shell=bash disable=SC2034 # used by the parts
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

soak=$root/build/soak
gradus=$root/build/release/gradus
asan_gradus=$root/build/debug/gradus
tsan_gradus=$root/build/tsan/gradus
part=$(basename "$0" .sh)
mkdir -p "$soak/found" "$soak/summary"

begin_part() { # SECONDS SEED
    end=$((SECONDS + $1))
    RANDOM=$(($2 % 32768))
    findings=0
    next_line=$((SECONDS + 60))
    work=$(mktemp -d "$soak/$part.XXXXXX")
    # Removed by summary, not by a trap: a child that is signalled between fork and exec runs traps too.
    cd "$work" || exit 1
}

time_left() {
    [ $SECONDS -lt "$end" ]
}

# Prints one line per minute.
progress() {
    [ $SECONDS -ge "$next_line" ] || return 0
    next_line=$((SECONDS + 60))
    printf '== %s %s: %s, %d findings\n' "$(date +%H:%M:%S)" "$part" "$1" "$findings"
}

# finding WHAT [FILE...]: counts it, keeps the files, and prints it.
finding() {
    local what=$1 folder=$soak/found/$part-$((findings + 1))
    shift
    findings=$((findings + 1))
    mkdir -p "$folder"
    printf '%s\n' "$what" >"$folder/what"
    [ $# -eq 0 ] || cp -r "$@" "$folder/" 2>/dev/null || true
    printf '== %s %s: FOUND: %s (%s)\n' "$(date +%H:%M:%S)" "$part" "$what" "${folder#"$root"/}"
}

summary() { # WHAT AMOUNT FINDINGS
    printf '%s\t%s\t%d\n' "$1" "$2" "$3" >>"$soak/summary/2-$part"
    cd "$soak" && rm -rf "$work"
}

# Sets has_tsan unless the build with the thread sanitizer cannot run, and run_tsan to what must precede it.
find_tsan() {
    run_tsan=()
    has_tsan=1
    if ! "$tsan_gradus" --version >/dev/null 2>&1; then
        run_tsan=(setarch -R) # gcc 12 fails on kernels with high-entropy address randomisation
        "${run_tsan[@]}" "$tsan_gradus" --version >/dev/null 2>&1 || has_tsan=
    fi
}

# pick VARIABLE WORD...: sets the variable to one of the words. Not a command substitution: a subshell
# reseeds RANDOM.
pick() {
    local words=("${@:2}")
    printf -v "$1" %s "${words[RANDOM % ${#words[@]}]}"
}

# make_rows SEED QUERIES: LETOR text with 6 features, some values missing, grades 0 to 4.
make_rows() {
    awk -v seed="$1" -v queries="$2" 'BEGIN {
        srand(seed)
        for (q = 1; q <= queries; q++)
            for (d = 0; d < 8; d++) {
                a = rand(); b = rand(); c = rand()
                printf "%d qid:%d 1:%.4f 2:%.4f", int(5 * (0.6 * a + 0.4 * b)), q, a, b
                if (rand() < 0.8) printf " 3:%.2f", c * a
                printf " 4:%d 5:%.3g 6:%d\n", d, exp(20 * (c - 0.5)), rand() < 0.1
            }
    }'
}

# Statuses 0 to 2 are fine: success, failure with a message, wrong usage.
is_broken() { # STATUS ERROR_FILE
    [ "$1" -gt 2 ] || grep -q 'runtime error\|Sanitizer' "$2"
}

# Memory is limited by the sanitizer, which reserves too many addresses for 'ulimit -v'. Containers may
# forbid leak detection.
export ASAN_OPTIONS=exitcode=77:allocator_may_return_null=1:max_allocation_size_mb=2000:hard_rss_limit_mb=3000
[ ! -x "$asan_gradus" ] || "$asan_gradus" --version >/dev/null 2>&1 || ASAN_OPTIONS+=:detect_leaks=0
export UBSAN_OPTIONS=print_stacktrace=1:exitcode=77 TSAN_OPTIONS=exitcode=77
