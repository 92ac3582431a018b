# SPDX-License-Identifier: Apache-2.0
# Names in data cannot control the terminal: control characters are printed escaped.
load common

esc=$'\033'

# Escape sequences, a bell, a carriage return, DEL, CSI as one character (U+009B), a byte that is not
# UTF-8, and a newline in the names of features, queries and documents; and one valid non-ASCII character.
make_hostile() {
    {
        printf 'label,qid,docid,f\033]0;pwned\a\033[31m,g\r\177\302\233,"h\nforged\xff",\xc3\xa4\n'
        for i in $(seq 0 39); do
            printf '%d,"q\033[2J\a%d","d\033[31m%d",%d,%d,%d,%d\n' $((i * 7 % 3)) $((i / 5)) "$i" \
                $((i * 13 % 40)) $((i * 29 % 40)) $((i * 7 % 40)) "$i"
        done
    } > hostile.csv
}

# clean FILE...: checks that the only control characters are newlines and tabs, and that all is UTF-8.
clean() {
    local file
    for file in "$@"; do
        if LC_ALL=C grep -qP '[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$file" ||
            ! iconv -f utf-8 -t utf-8 "$file" > /dev/null; then
            echo "in $file: $(cat -v "$file" | head -20)"
            return 1
        fi
    done
}

# shows COMMAND...: whether or not it succeeds, its output is clean.
shows() {
    gradus "$@" > out 2> err || true
    clean out err || { echo "of gradus $*"; return 1; }
}

@test "the output of commands with hostile names is clean" {
    make_hostile
    local train=(train --method lambdamart --rounds 3 --min-rows 1 --train hostile.csv)
    gradus "${train[@]}" -q -o m > /dev/null
    gradus train --method propodds --learner linear --train hostile.csv -q -o linear > /dev/null
    for command in "${train[*]} --valid hostile.csv -o n" "show m" "show m --tree 1" "show m --all" \
        "show linear" "describe hostile.csv" "describe hostile.csv hostile.csv" \
        "eval hostile.csv m feature:1 --per-query -" "eval hostile.csv m --calibration" \
        "eval hostile.csv m --confusion" "compare hostile.csv m feature:1 --metric ndcg@10" \
        "tune --method regression --train hostile.csv --folds 3 --budget 2"; do
        # shellcheck disable=SC2086 # words
        shows $command
        # shellcheck disable=SC2086
        shows $command --json
    done
    gradus show m > out
    grep -qF 'f\x1b]0;pwned\x07\x1b[31m' out
    gradus show linear > out
    grep -qF 'h\x0aforged\xff' out
    grep -q 'ä' out
    gradus eval hostile.csv m --per-query table > out
    clean table
    grep -qF 'q\x1b[2J\x070' table
    gradus compare hostile.csv m feature:1 --metric ndcg@10 > out
    grep -qF 'q\x1b[2J\x07' out
}

@test "messages with hostile names are one clean line" {
    make_hostile
    make_small
    local path="no${esc}[31m such"$'\n'"file"
    refuses 1 'no\x1b[31m such\x0afile' gradus describe "$path"
    clean err
    refuses 2 'unknown option' gradus describe "--a${esc}b"
    clean err
    refuses 2 'unknown command' gradus "${esc}c"
    clean err
    refuses 2 "gradus convert needs two files" gradus convert "$path"
    for words in "describe hostile.csv --label-column ${esc}x" "eval hostile.csv small.txt" \
        "train --method ${esc} --train small.txt -o m" "synth ${esc}" "help ${esc}" \
        "train --method lambdamart --train hostile.csv --test small.txt -o m" \
        "train --method lambdamart --train hostile.csv --train hostile.csv -o m" \
        "tune --method lambdamart --space ${esc}=1 --train hostile.csv --folds 3"; do
        # shellcheck disable=SC2086 # words
        shows $words
    done
    sed 's/,[0-9]*$/,x\x1b[5m/' hostile.csv > broken.csv
    shows describe broken.csv
    printf '1 qid:\033[1m 1:\033[2m\n' > broken.txt
    shows describe broken.txt
    cp small.txt "s${esc}[31mmall"
    shows describe "s${esc}[31mmall" small.txt
    shows train --method lambdamart --rounds 1 --min-rows 1 --train "s${esc}[31mmall" -o "m${esc}"
    [ -e "m${esc}" ]
    shows show "m${esc}"
    shows split "s${esc}[31mmall" --fractions 50,50 -o "p${esc}"
    [ -e "p${esc}/train.txt" ]
    shows split "s${esc}[31mmall" --folds 3 -o "p${esc}"
    [ -e "p${esc}/fold1/train.txt" ]
}

@test "machine-readable output keeps the bytes" {
    make_hostile
    gradus convert hostile.csv a.csv -q
    gradus convert a.csv b.csv -q
    cmp a.csv b.csv
    grep -qF "f${esc}]0;pwned" a.csv
    gradus score feature:1 hostile.csv --run-name r > run
    grep -qF "q${esc}[2J" run
    gradus train --method lambdamart --rounds 1 --min-rows 1 --train hostile.csv -o m -q > /dev/null
    gradus show m --json | jq -r '.. | strings' | grep -qF "f${esc}]0;pwned"
}

@test "the printed resume command can be pasted, whatever the names" {
    make_hostile
    local model="m${esc}'\\x.model" found=no word
    # Tiny steps: otherwise there may be no useful split left before the signal comes.
    start train --method lambdamart --rounds 1000000 --learning-rate 0.000001 --leaves 2 --min-rows 1 \
        --checkpoint-every 1 --train hostile.csv -o "$model" -q
    wait_until test -e "$model.checkpoint"
    end_with INT
    [ "$status" -eq 130 ]
    clean err
    eval "set -- $(grep '^  gradus train' err)"
    for word in "$@"; do
        [ "$word" != "$model" ] || found=yes
    done
    [ $found = yes ]
}
