#!/usr/bin/env bash
# scripts/test.sh [--quick]
#
# Installs what the tests need (Debian packages, with sudo if need be), then builds and tests:
#   debug    gcc, address and undefined-behaviour sanitizers; all tests
#   release  gcc -O3, as installed; all tests, and an installation tried out
#   tsan     gcc, thread sanitizer; the tests that use threads
#   clang    clang -O3; all tests but the installation, the browser's and those that read the source
# Warnings are errors in all of them. --quick: debug only.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

quick=
case ${1-} in
--quick) quick=1 && shift ;;
esac
no_arguments "${1-}"
[ -n "$quick" ] || test_packages+=(clang)
need_packages "${test_packages[@]}" "${web_packages[@]}"

notes=()
probes=$(mktemp -d)
trap 'rm -rf "$probes"' EXIT

note() {
    notes+=("$*")
    say "note: $*"
}

# Containers may forbid ptrace, which finding leaks needs; then the tests run without it.
probe_leaks() {
    echo 'int main(void) { return 0; }' >"$probes/clean.c"
    gcc -fsanitize=address "$probes/clean.c" -o "$probes/clean"
    if ! "$probes/clean" 2>/dev/null; then
        export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
        note "leaks are not looked for: the leak sanitizer cannot run here (no ptrace?)"
    fi
}

# The thread sanitizer of gcc 12 fails on kernels that scatter addresses widely.
run_tsan=()
probe_threads() {
    echo 'int main(void) { return 0; }' >"$probes/clean.c"
    gcc -fsanitize=thread "$probes/clean.c" -o "$probes/clean"
    "$probes/clean" 2>/dev/null && return 0
    run_tsan=(setarch -R)
    "${run_tsan[@]}" "$probes/clean" 2>/dev/null && return 0
    note "skipped: tsan: the thread sanitizer cannot run here"
    return 1
}

# stage PRESET [CTEST ARGUMENT...]: builds and tests, and says how long it took.
stage() {
    local preset=$1 start=$SECONDS wrap=()
    shift
    [ "$preset" = tsan ] && wrap=("${run_tsan[@]}")
    say "$preset: building"
    configure "$preset" -DGRADUS_TESTS=ON -DGRADUS_WERROR=ON
    build "$preset"
    say "$preset: testing"
    (cd "$root" && "${wrap[@]}" ctest --preset "$preset" -j "$(nproc)" \
        --timeout 300 --no-tests=error "$@")
    notes+=("$preset: passed in $(duration $((SECONDS - start)))")
}

export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
probe_leaks
stage debug
if [ -z "$quick" ]; then
    stage release
    if probe_threads; then
        stage tsan -L threads
    fi
    stage clang -LE 'install|lint|web'
fi

say "all tests passed in $(duration $SECONDS)"
printf '   %s\n' "${notes[@]}"
