#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs_examples.sh PAGE
#
# Runs the examples of a Markdown page, in order, in the current directory, which should be empty:
#
#   ```console   each line "$ COMMAND" (continued after a trailing backslash) is run; what follows
#                must be its output, standard error included. A command may fail only if it shows
#                an error message of gradus. In pipes use "sed -n 1,3p", not "head -3", which
#                closes the pipe early.
#   ```sh        the block is run as a script and must exit with status 0
#
# Other blocks are not run. Times, speeds and memory are not compared. Every failure names the page,
# the line and the command. With UPDATE=1 the output in the page is replaced by the current output.
set -u

page=$1
name=${page#"${SOURCE-}"/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
state=text    # text, console or sh
command=      # the console command being collected, "" if none
number=0      # current line
started=0     # line where the command or block started

# Replaces what depends on the machine: times, speeds, memory; the seconds column of gradus tune.
without_times() {
    sed -E -e 's/^(time|speed|memory)  .*/\1/' -e 's/^(cost|scoring)  .*/\1/' -e 's/ (all|1\/[0-9]+) +[0-9.]+$/ \1/' \
        -e 's/((kB|MB|bytes) +[0-9]+) +[0-9.]+$/\1/' \
        -e 's/("[a-z_]*seconds": ?)[0-9.e-]+/\1/g' "$1"
}

fail() {
    failures=$((failures + 1))
    printf '%s:%s: %s\n' "$name" "$started" "$1"
}

# Runs the collected console command and compares its output with $work/expected.
end_command() {
    local status=0
    [ -n "$command" ] || return 0
    bash -o pipefail -c "$command" >"$work/found" 2>&1 </dev/null || status=$?
    without_times "$work/expected" >"$work/expected.plain"
    without_times "$work/found" >"$work/found.plain"
    if [ "$status" -ne 0 ] && ! grep -q '^gradus: ' "$work/found"; then
        fail "exit status $status: \$ $command"
        tail -n 20 "$work/found"
    fi
    if cmp -s "$work/expected.plain" "$work/found.plain"; then
        cat "$work/expected" >>"$work/page"
    else
        cat "$work/found" >>"$work/page"
        if [ -z "${UPDATE-}" ]; then
            fail "output differs (< page, > now): \$ $command"
            diff "$work/expected.plain" "$work/found.plain"
        fi
    fi
    command=
}

# Runs the collected sh block.
end_block() {
    local status=0
    bash -e -o pipefail "$work/block" >"$work/found" 2>&1 </dev/null || status=$?
    [ "$status" -ne 0 ] || return 0
    fail "exit status $status of this block:"
    cat "$work/block"
    tail -n 20 "$work/found"
}

read_console() {
    if [[ $command == *\\ ]]; then
        command+=$'\n'$1
        printf '%s\n' "$1" >>"$work/page"
    elif [[ $1 == '```' ]]; then
        end_command
        state=text
        printf '%s\n' "$1" >>"$work/page"
    elif [[ $1 == '$ '* ]]; then
        end_command
        command=${1#'$ '}
        started=$number
        : >"$work/expected"
        printf '%s\n' "$1" >>"$work/page"
    elif [ -n "$command" ]; then
        printf '%s\n' "$1" >>"$work/expected"
    else
        fail "a console block must start with a command: $1"
        printf '%s\n' "$1" >>"$work/page"
    fi
}

: >"$work/page"
while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    case $state in
    console)
        read_console "$line"
        continue
        ;;
    sh)
        if [[ $line == '```' ]]; then
            end_block
            state=text
        else
            printf '%s\n' "$line" >>"$work/block"
        fi
        ;;
    text)
        case $line in
        '```console') state=console ;;
        '```sh') state='sh' && started=$((number + 1)) && : >"$work/block" ;;
        esac
        [[ ! $line =~ ^[[:space:]]+'```'(console|sh)$ ]] || { started=$number && fail "indented block, not run"; }
        ;;
    esac
    printf '%s\n' "$line" >>"$work/page"
done <"$page"
[ "$state" = text ] || { started=$number && fail "a $state block is not closed"; }
if [ -n "${UPDATE-}" ] && ! cmp -s "$work/page" "$page"; then
    cat "$work/page" >"$page"
    printf '%s: updated\n' "$name"
fi
[ "$failures" -eq 0 ]
