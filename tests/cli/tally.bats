# SPDX-License-Identifier: Apache-2.0
# The counting of tests by scripts/test.sh and scripts/parity.sh (scripts/tally.sh).

setup() {
    cd "$BATS_TEST_TMPDIR"
    . "$SOURCE/scripts/lib.sh"
    . "$SOURCE/scripts/tally.sh"
    skips_file=$PWD/skips.txt
    unset CI
    {
        echo '<?xml version="1.0" encoding="UTF-8"?>'
        testcase test_good run
        testcase test_bad fail
        testcase test_gone notrun 'Unable to find executable'
        testcase web_report notrun 'SKIP_RETURN_CODE=77'
        testcase test_off disabled Disabled
        testcase cli_some run
        testcase test_some run
    } >junit.xml
    cat >log <<'LOG'
1/7 Testing: web_report
Output:
skipped: no browser
<end of output>
2/7 Testing: cli_some
Output:
1..2
ok 1 works
ok 2 a test: of two words # skip no groff
<end of output>
3/7 Testing: test_some
Output:
[ RUN      ] test_memory
skipped: nobody knows
[  SKIPPED ] test_memory
[==========] 2 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] test_memory
<end of output>
LOG
    cat >skips.txt <<'LIST'
# name: reason
web_report: no browser
cli_some/a test: of two words: no groff
LIST
}

testcase() { # NAME STATUS [MESSAGE]
    printf '\t<testcase name="%s" classname="%s" time="0" status="%s">\n' "$1" "$1" "$2"
    [ $# -lt 3 ] || printf '\t\t<skipped message="%s"/>\n' "$3"
    printf '\t</testcase>\n'
}

@test "tests are counted, and skips have their reasons" {
    tally_ctest debug junit.xml log
    run tally_end
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "3 passed, 2 failed, 4 skipped" ]
    [[ $output == *"failed: test_bad (debug)"* ]]
    [[ $output == *"failed: test_gone (debug)"* ]]
    [[ $output == *"skipped: web_report: no browser (debug)"* ]]
    [[ $output == *"skipped: test_off: disabled (debug)"* ]]
    [[ $output == *"skipped: cli_some/a test: of two words: no groff (debug)"* ]]
    [[ $output == *"skipped: test_some/test_memory: nobody knows (debug)"* ]]
}

@test "under CI a skip that is not listed fails" {
    CI=true
    tally_ctest debug junit.xml log
    run tally_end
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "3 passed, 4 failed, 2 skipped" ]
    [[ $output == *"skipped, and not in tests/skips.txt: test_off: disabled (debug)"* ]]
    [[ $output == *"skipped, and not in tests/skips.txt: test_some/test_memory: nobody knows (debug)"* ]]
}

@test "a skip with another reason than the listed one fails" {
    CI=true
    tally_skipped "web_report: no node" debug
    tally_skipped "web_report: no browser" debug
    run tally_end
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "0 passed, 1 failed, 1 skipped" ]
}

@test "without failures the status is 0" {
    tally_passed 412
    tally_skipped "web_report: no browser" debug
    run tally_end
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "412 passed, 0 failed, 1 skipped" ]
}

@test "every line of tests/skips.txt has a name and a reason" {
    ! grep -v '^#' "$SOURCE/tests/skips.txt" | grep -v '^[^ ].*: .'
}
