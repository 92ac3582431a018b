# SPDX-License-Identifier: Apache-2.0
# Help is complete, fits the terminal, and shows the options of a method; aliases of options work.
load common

squeeze() {
    tr -d ' \n'
}

@test "no help text is truncated, and every option shows its default" {
    gradus help --markdown > reference.md
    # A list of choices without a default was truncated.
    sed 's/\\|/!/g' reference.md | awk -F'|' '/^\| `-/ && $4 ~ /!/ { print $4 }' > choices
    [ "$(wc -l < choices)" -gt 20 ]
    if grep -v '; default [a-z0-9-]* $' choices; then return 1; fi
    # Rows of a command are in its help; those of shared options in the help of some command.
    names=$(gradus help --list)
    for name in $names shared; do
        section="gradus $name"
        if [ $name = shared ]; then
            section="Shared options"
            for topic in $names; do cat "$topic.page"; done > page
        else
            gradus help "$name" | squeeze > "$name.page"
            cp "$name.page" page
        fi
        sed -n "/^## $section\$/,/^## /p" reference.md | grep '^| `-' | grep -v '` | `--' | grep -v '| see \[' |
            sed -E 's/\\\|/!/g; s/^[^|]*\| `([^`]*)` \| ([^|]*) \| ([^|]*) \|$/\2 (\3)/; s/ \(\)$//; s/!/|/g; s/ //g' > rows || true
        awk 'NR == FNR { page = $0; next } !index(page, $0) { print "not in the page: " $0; bad = 1 } END { exit bad }' page rows
    done
    [ -s rows ]
    gradus train --help | squeeze > page
    for method in $(gradus help methods | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p'); do
        gradus help "$method" | grep -q "gradus train --method $method --help" || continue # needs no training
        grep -qE "[(|]$method[|;]" page || { echo "$method"; return 1; }
    done
}

@test "help fits the width, and is not paged without a terminal" {
    export PAGER="touch $PWD/paged; cat"
    for width in 60 80; do
        for name in $(gradus help --list) metrics methods ndcg lambdamart letor4 t; do
            COLUMNS=$width gradus help "$name" | sed '/^examples$/,$d' > page
            [ "$(wc -L < page)" -le $width ] || { echo "$name at $width"; awk -v w=$width 'length > w' page; return 1; }
        done
    done
    COLUMNS=120 gradus train --help | sed '/^examples$/,$d' > wide
    [ "$(wc -L < wide)" -gt 80 ] && [ "$(wc -L < wide)" -le 120 ]
    env -u COLUMNS "$GRADUS" train --help > plain
    COLUMNS=80 gradus train --help > eighty
    cmp plain eighty
    COLUMNS=nonsense gradus train --help > other
    cmp other eighty
    [ ! -e paged ]
}

@test "a terminal uses a pager, unless it is switched off" {
    command -v script > /dev/null || skip "no script"
    shown() { # PAGER=... words: what a terminal shows
        env -u COLUMNS TERM=xterm "$1" script -qec "stty cols 100; $GRADUS help metrics" /dev/null < /dev/null
    }
    shown "PAGER=sed 's/^/paged /'" > out
    grep -q "^paged .*Metrics" out
    shown "PAGER=" > out
    lacks paged out
    grep -q "Metrics" out
    shown "PAGER=cat" > out
    grep -q "Metrics" out
    shown "PAGER=/no/such/pager" > out
    grep -q "ndcg" out
}

@test "--method METHOD --help shows the options of the method" {
    gradus train --method lambdamart --help > page
    grep -q -- '--truncation' page
    grep -q -- '--leaves' page
    for foreign in --cost --target --hidden --penalty --form --alpha --loss; do
        lacks "^ *$foreign " page
    done
    [ "$(grep -n -- '^ *--learning-rate' page | cut -d: -f1)" -lt "$(grep -n -- '^ *--rounds' page | cut -d: -f1)" ]
    [ "$(grep -n -- '^ *--rounds' page | cut -d: -f1)" -lt "$(grep -n -- '^ *--monotone' page | cut -d: -f1)" ]
    gradus train --help --method=regression --learner linear > page
    grep -q -- '--ridge' page
    lacks '^ *--leaves' page
    lacks '^ *--rounds' page
    gradus train --method lambdarank --help > page
    grep -q -- '--hidden' page
    grep -q '(net; *$\|(net; default net)' page
    gradus train --method ranksvm --help | squeeze > page
    refuses 2 "unknown value of 'method': 'lamdamart'; did you mean 'lambdamart'?" gradus train --method lamdamart --help
    refuses 2 "the learner 'linear' cannot be used with the method 'mcrank'" gradus train --method mcrank --learner linear --help
}

@test "options in a method's help are accepted by it" {
    gradus synth web --queries 5 -o data.txt -q
    for method in cocr lambdamart mcrank; do
        # All of them at once, each with its default.
        COLUMNS=100 gradus train --method "$method" --help | sed -n '/^most important settings/,/^how data/p' | tr -s ' \n' ' ' |
            sed 's/ --/\n--/g' | sed -n 's/^\(--[a-z0-9-]*\) [A-Z].*default \([^ )(]*\)).*/\1 \2/p' > defaults
        [ "$(wc -l < defaults)" -gt 5 ]
        sed -i '/^--rounds /d' defaults
        # shellcheck disable=SC2046 # words
        gradus train --method "$method" $(cat defaults) --rounds 2 --train data.txt -o m -q > /dev/null
    done
}

@test "option names of other tools are accepted, with - or _" {
    gradus synth web --queries 20 -o data.txt -q
    gradus train --train data.txt --leaves 7 --rounds 3 --learning-rate 0.2 --min-rows 5 --row-fraction 0.8 --feature-fraction 0.7 \
        --l2 2 --depth 4 --bins 63 --patience 9 --truncation 10 -o a.model -q > /dev/null
    gradus train --train data.txt --num_leaves 7 --n-estimators 3 --eta 0.2 --min_data_in_leaf 5 --bagging_fraction 0.8 \
        --colsample-bytree 0.7 --reg_lambda 2 --max-depth=4 --max_bin 63 --early-stopping_rounds 9 \
        --lambdarank_truncation_level 10 -o b.model -q > /dev/null
    cmp a.model b.model
    gradus train --train data.txt --num-leaves 7 --num_boost_round 3 --learning_rate 0.2 --min-child-samples 5 --subsample 0.8 \
        --feature-fraction 0.7 --lambda-l2 2 --max-depth=4 --max_bin 63 --early-stopping-rounds 9 \
        --lambdarank-truncation-level 10 -o b.model -q > /dev/null
    cmp a.model b.model
    gradus show b.model > shown
    grep -q -- '--leaves 7' shown
    lacks 'num.leaves' shown
    refuses 2 "--leaves is given twice" gradus train --train data.txt --num_leaves 7 --leaves 7 -o c.model
    refuses 2 "--rounds is given twice" gradus train --train data.txt --trees 7 --num-round 7 -o c.model
    refuses 2 "did you mean '--num-leaves'?" gradus train --train data.txt --num-leavse 7 -o c.model
    gradus tune --method regression --train data.txt --folds 3 --budget 2 --space 'num_leaves=4|8' --journal j.jsonl -q > out
    grep -q leaves out
    lacks num_leaves out
    refuses 2 "duplicate option 'leaves'" gradus tune --method regression --train data.txt --folds 3 --space 'num_leaves=4|8, leaves=3'
    gradus train --help > page
    sed -n '/^aliases/,/^$/p' page | grep -q -- '--leaves  *--num-leaves'
    grep -q '^| `--leaves` | `--num-leaves' "$SOURCE/docs/reference/commands.md"
}

@test "completion of topics, methods, metrics and files" {
    touch some-file.txt
    make_try <<'TRY'
same() {
    [ "$1" = "$2" ] || { echo "found '$1', not '$2'"; exit 1; }
}
same "$(try gradus help lambdam)" lambdamart
same "$(try gradus help convent)" conventions
same "$(try gradus help kapp)" "kappa kappa-linear"
same "$(try gradus help calibra)" "calibrate calibrated"
same "$(try gradus help --compl)" --completion
[ "$(try gradus help '' | wc -w)" -gt 60 ] || exit 1
same "$(try gradus train --method lambda)" "lambdamart lambdarank"
same "$(try gradus train --method = lambda)" "lambdamart lambdarank"
same "$(try gradus tune --method lambda)" "lambdamart lambdarank"
[ "$(try gradus train --method = | wc -w)" -gt 20 ] || exit 2
same "$(try gradus train --metric kapp)" "kappa kappa-linear"
same "$(try gradus eval --metric kapp)" "kappa kappa-linear"
same "$(try gradus train --train some)" some-file.txt
same "$(try gradus train --test some)" some-file.txt
same "$(try gradus eval some)" some-file.txt
same "$(try gradus compare a b c --test rand)" randomization
same "$(try gradus train --cost some)" some-file.txt
same "$(try gradus train --cost squa)" squared
same "$(try gradus synth we)" web
TRY
    bash try.bash
}

@test "--help before a topic, and the first steps of the overview" {
    gradus --help train > a
    gradus help train > b
    cmp a b
    gradus -h ndcg > a
    gradus help ndcg > b
    cmp a b
    gradus --help > a
    gradus help > b
    cmp a b
    for name in $(gradus help --list); do
        grep -q "^  $name  *[a-z]" a || { echo "$name"; return 1; }
    done
    mkdir bin
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$GRADUS" > bin/gradus
    chmod +x bin/gradus
    sed -n '/^first steps$/,/^$/p' a | tail -n +2 | sed 's/--queries 200/--queries 20/' > steps
    [ "$(grep -c '^  gradus ' steps)" -eq 4 ]
    PATH=$PWD/bin:$PATH bash -e steps > out 2> err
    grep -q '^ndcg@10 ' out
}
