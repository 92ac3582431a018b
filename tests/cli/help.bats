# SPDX-License-Identifier: Apache-2.0
# Help, manual pages, reference and completion are generated from the same tables.
load common

@test "every command has help" {
    for name in $(gradus help --list); do
        gradus help "$name" > by-help
        gradus "$name" -h > by-option
        cmp by-help by-option
        grep -q "^usage: gradus $name" by-help
    done
}

@test "no option of a command is listed twice" {
    for name in $(gradus help --list); do
        [ "$name" = synth ] && continue # its kinds share names
        twice=$(gradus help "$name" | grep -oE '^ {2,6}(-., )?--[a-z0-9-]+' | sort | uniq -d)
        [ -z "$twice" ] || { echo "$name: $twice"; return 1; }
    done
}

@test "the examples of every command use options that exist" {
    for name in $(gradus help --list); do
        gradus help "$name" | sed -n '/^examples/,$p' | grep '^  gradus ' > examples
        while read -r _ command words; do
            gradus help "$command" > page
            for word in $words; do
                case $word in
                --* | -[a-z]) grep -q -- " $word\b" page || { echo "no $word: $command $words"; return 1; } ;;
                esac
            done
        done < examples
    done
}

@test "every entry of every catalogue has a page" {
    for catalogue in metrics conventions methods presets learners objectives tests costs synths transforms; do
        gradus help "$catalogue" | sed -n 's/^  \([a-z0-9][a-z0-9-]*\)  .*/\1/p' > names
        [ -s names ]
        while read -r name; do
            gradus help "$name" > page
            grep -q "^$name ($catalogue)" page || { echo "$catalogue $name"; return 1; }
        done < names
    done
}

@test "words for distributed training and GPUs name the option and the guide" {
    for word in distributed mpi openmpi mpich; do
        gradus help $word > page
        grep -q -- "--distributed mpi" page && grep -q "docs/guide/cluster.md" page
    done
    for word in gpu cuda device; do
        gradus help $word > page
        grep -q -- "--device cuda" page && grep -q "docs/guide/gpu.md" page
    done
}

@test "manual pages have no troff warnings" {
    command -v groff > /dev/null || skip "no groff"
    for name in gradus $(gradus help --list); do
        gradus help --man "$name" > page.1
        groff -man -Tutf8 -ww -rHY=0 page.1 2>&1 > /dev/null | grep -v "cannot adjust line" > warnings || true
        [ ! -s warnings ] || { echo "$name: $(cat warnings)"; return 1; }
    done
}

@test "docs/reference/ is what the program and the headers give" {
    mkdir pages
    "$SOURCE/scripts/reference.sh" -o pages "$GRADUS"
    diff -r "$SOURCE/docs/reference" pages
    refuses 2 "no Markdown page 'methods'; allowed: commands, metrics, conventions" gradus help --markdown methods
}

@test "the reference has every option of every command, and every public function" {
    gradus help --markdown commands > commands.md
    for name in $(gradus help --list); do
        # The command's section, and the groups of shared options that it links to.
        sed -n "/^## gradus $name\$/,/^## /p" commands.md > section
        for group in $(grep -o '(#shared-[a-z]*)' section | tr -d '()#'); do
            sed -n "/<a id=\"$group\">/,/^<a id\|^## /p" commands.md | tail -n +2 >> section
        done
        gradus help "$name" | grep -oE '^ {2,6}(-., )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u > options
        [ -s options ]
        while read -r option; do
            grep -qE "^\| \`(-., )?$option[ \`]" section || { echo "$name: $option"; return 1; }
        done < options
    done
    for name in $(gradus help conventions | sed -n 's/^  \([a-z][a-z0-9]*\)  .*/\1/p'); do
        grep -q "^| \`$name\`" "$SOURCE/docs/reference/conventions.md" || { echo "no row: $name"; return 1; }
    done
    grep -hoE '\bgradus_[a-z0-9_]+\(' -r "$SOURCE/include" | tr -d '(' | sort -u > functions
    [ "$(wc -l < functions)" -gt 100 ]
    while read -r name; do
        grep -q "^#### $name\$" "$SOURCE/docs/reference/c-api.md" || { echo "$name"; return 1; }
    done < functions
}

@test "completion completes" {
    make_try <<'TRY'
[ "$(try gradus ev)" = eval ] || exit 1
[ "$(try gradus eval --metr)" = --metric ] || exit 2
[ "$(try gradus eval --convention lig)" = lightgbm ] || exit 3
[ "$(try gradus synth we)" = web ] || exit 4
TRY
    bash try.bash
}

@test "version, overview, and unknown topics" {
    [ "$(gradus --version)" = "gradus $(sed -n 's/.*GRADUS_VERSION "\(.*\)"/\1/p' "$SOURCE/include/gradus.h")" ]
    gradus help > overview
    grep -q "^usage: gradus COMMAND" overview
    refuses 2 "no help on 'ndgc'; did you mean 'ndcg'?" gradus help ndgc
    got=0
    gradus > out 2> err || got=$?
    [ "$got" -eq 2 ]
    grep -q "^usage: gradus COMMAND" err
}
