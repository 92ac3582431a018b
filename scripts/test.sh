#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/test.sh [--quick]
#
# Installs the packages needed (Debian; with sudo if necessary), then builds and tests:
#   debug    gcc, address and undefined-behaviour sanitizers; all tests except browser and source tests; of
#            the Python package those of its C extension
#   release  gcc -O3, as installed; all tests, and a test installation
#   tsan     gcc, thread sanitizer; the tests that use threads
#   clang    clang -O3; all tests except installation, browser, lint, text and Python tests
# Warnings are errors in all of them. --quick: debug only, with all tests. The last lines show what was
# skipped and why, and the total counts. Under CI=true a skip that tests/skips.txt does not list is a failure.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/tally.sh"

quick=
case ${1-} in
--quick) quick=1 && shift ;;
esac
no_arguments "${1-}"
[ -n "$quick" ] || test_packages+=(clang)
need_packages "${test_packages[@]}" "${web_packages[@]}" "${python_test_packages[@]}"

notes=()
probes=$(mktemp -d)
trap 'rm -rf "$probes"' EXIT

# Containers may forbid ptrace, which leak detection needs; the tests then run without it.
probe_leaks() {
    echo 'int main(void) { return 0; }' >"$probes/clean.c"
    gcc -fsanitize=address "$probes/clean.c" -o "$probes/clean"
    if ! "$probes/clean" 2>/dev/null; then
        export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
        tally_skipped "leaks: the leak sanitizer cannot run here (no ptrace?)" "all of debug"
    fi
}

# The thread sanitizer of gcc 12 fails on kernels with high-entropy address randomisation.
run_tsan=()
probe_threads() {
    echo 'int main(void) { return 0; }' >"$probes/clean.c"
    gcc -fsanitize=thread "$probes/clean.c" -o "$probes/clean"
    "$probes/clean" 2>/dev/null && return 0
    run_tsan=(setarch -R)
    "${run_tsan[@]}" "$probes/clean" 2>/dev/null && return 0
    tally_skipped "tsan: the thread sanitizer cannot run here" "a whole stage"
    return 1
}

# stage PRESET [CTEST ARGUMENT...]: builds, tests and counts, and notes the time. The script ends after
# the first stage that fails.
stage() {
    local preset=$1 start=$SECONDS wrap=() target='' junit=$probes/$1.xml status=0
    shift
    [ "$preset" != tsan ] || { wrap=("${run_tsan[@]}") && target=thread_tests; }
    say "$preset: building"
    if ! (configure "$preset" -DGRADUS_TESTS=ON -DGRADUS_WERROR=ON && build "$preset" "$target"); then
        tally_failed "$preset: the build failed"
        finish
    fi
    say "$preset: testing"
    (cd "$root" && "${wrap[@]}" ctest --preset "$preset" -j "$(nproc)" \
        --timeout 600 --no-tests=error --output-junit "$junit" "$@") || status=$?
    if [ -s "$junit" ]; then
        tally_ctest "$preset" "$junit" "$root/build/$preset/Testing/Temporary/LastTest.log"
    fi
    notes+=("$preset: $(duration $((SECONDS - start)))")
    if [ $status -ne 0 ]; then
        [ "$failed" -gt 0 ] || tally_failed "$preset: ctest ended with status $status"
        finish
    fi
}

finish() {
    local status=0
    say "tests finished after $(duration $SECONDS)"
    [ ${#notes[@]} -eq 0 ] || printf '   %s\n' "${notes[@]}"
    tally_end || status=1
    exit $status
}

export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
probe_leaks
if [ -n "$quick" ]; then
    stage debug
else
    stage debug -LE '^(source|web)$'
    stage release
    if probe_threads; then
        stage tsan -L threads
    fi
    stage clang -LE '^(install|lint|python|source|text|web)$'
fi

finish
