# SPDX-License-Identifier: Apache-2.0
# Counts tests for scripts/test.sh and scripts/parity.sh. Source this file after lib.sh.
# shellcheck shell=bash
#
# A test that does not run is a skip, with a name and a reason. If CI is "true", a skip that
# tests/skips.txt does not list is a failure, so that no test disappears unnoticed.

passed=0 failed=0 skipped=0
tally_lines=() # lines on failures and skips

tally_passed() { # COUNT
    passed=$((passed + $1))
}

tally_failed() { # NAME
    failed=$((failed + 1))
    tally_lines+=("failed: $1")
}

tally_skipped() { # "NAME: REASON" WHERE
    if [ "${CI-}" = true ] && ! grep -qxF -- "$1" "${skips_file:-$root/tests/skips.txt}"; then
        failed=$((failed + 1))
        tally_lines+=("skipped, and not in tests/skips.txt: $1 ($2)")
    else
        skipped=$((skipped + 1))
        tally_lines+=("skipped: $1 ($2)")
    fi
}

# Prints "passed NAME", "failed NAME" or "skipped NAME" for each test of ctest --output-junit.
# A test whose program is missing is a failure, although it did not run.
read_junit() {
    awk '
        /^\t<testcase / {
            name = $0; sub(/.* name="/, "", name); sub(/".*/, "", name)
            status = $0; sub(/.* status="/, "", status); sub(/".*/, "", status)
            message = ""
        }
        /^\t\t<skipped message="/ { message = $0 }
        /^\t<\/testcase>/ {
            if (status == "run") print "passed", name
            else if (status == "disabled" || message ~ /SKIP_/) print "skipped", name
            else print "failed", name
        }' "$1"
}

# Prints "NAME: REASON" for what the tests themselves skip, from the log of ctest: bats and cmocka tests
# as "ctest name/test name", tests that exit with the skip status by their ctest name.
read_skips() {
    awk '
        /^[0-9]+\/[0-9]+ Testing: / { test = $3; reason = ""; over = 0 }
        /^<end of output>/ { over = 1 }
        over { next }
        /^skipped: / { reason = substr($0, 10); reasons[test] = reason }
        /^ok [0-9]+ .* # skip/ {
            name = $0; sub(/^ok [0-9]+ /, "", name); sub(/ # skip.*/, "", name)
            why = $0; sub(/.* # skip */, "", why)
            print test "/" name ": " (why == "" ? "no reason given" : why)
        }
        /^\[==========\] [0-9]+ test\(s\) run\./ { over = 1 } # cmocka repeats the list
        /^\[  SKIPPED \] / { print test "/" $4 ": " (reason == "" ? "no reason given" : reason); reason = "" }
        END {
            while ((getline line < skipped_tests) > 0)
                print line ": " (line in reasons ? reasons[line] : "disabled")
        }' skipped_tests="$2" "$1"
}

# tally_ctest WHERE JUNIT LOG
tally_ctest() {
    local where=$1 status name line whole
    whole=$(mktemp)
    while read -r status name; do
        case $status in
        passed) tally_passed 1 ;;
        failed) tally_failed "$name ($where)" ;;
        skipped) printf '%s\n' "$name" >>"$whole" ;;
        esac
    done < <(read_junit "$2")
    while IFS= read -r line; do
        tally_skipped "$line" "$where"
    done < <(read_skips "$3" "$whole")
    rm -f "$whole"
}

# Prints what failed and what was skipped, and the counts alone on the last line. Status 1 if
# something failed.
tally_end() {
    [ ${#tally_lines[@]} -eq 0 ] || printf '   %s\n' "${tally_lines[@]}"
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}
