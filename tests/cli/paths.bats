# SPDX-License-Identifier: Apache-2.0
# No command overwrites a file that it reads, or writes two outputs to one file.
load common

# Data, a model trained on them, and copies that commands might overwrite: IN is the input of each test.
make_inputs() {
    make_small
    gradus train --method mcrank --rounds 2 --min-rows 1 --train small.txt -o small.model -q > out
    gradus score feature:1 small.txt -o small.scores
    printf '0 1 2\n1 0 1\n2 1 0\n' > costs.txt
    printf '1\n%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 > weights.txt
}

# protects INPUT COMMAND...: the command, in which @ stands for any name of the input, is refused, and all
# files are unchanged.
protects() {
    local input=$1 word alias
    shift
    ln -sf "$input" symbolic
    ln -f "$input" hard
    for alias in "$input" "./$input" "$PWD/$input" symbolic hard; do
        local words=()
        for word in "$@"; do words+=("${word//@/$alias}"); done
        sha256sum -- *.* hard > before
        refuses 2 "would overwrite the input '$input'" gradus "${words[@]}" ||
            { echo "of: gradus ${words[*]}"; return 1; }
        sha256sum --quiet -c before
        [ -L symbolic ]
    done
    rm symbolic hard
}

@test "no command writes over a file that it reads" {
    make_inputs
    local train=(train --method regression --train small.txt)
    protects small.txt "${train[@]}" -o @
    protects small.txt "${train[@]}" -o m.model --checkpoint @
    protects costs.txt train --method cocr --cost costs.txt --train small.txt -o @
    protects weights.txt "${train[@]}" --row-weights weights.txt -o @
    protects small.model train --method regression --start small.model --train small.txt -o @
    protects small.model train --method regression --start small.model --train small.txt -o m \
        --checkpoint @
    protects small.scores "${train[@]}" --initial small.scores -o @
    cp small.txt other.txt
    protects other.txt "${train[@]}" --valid other.txt -o @
    protects other.txt "${train[@]}" --test other.txt -o @
    protects small.txt tune --method regression --train small.txt --folds 3 -o @
    protects small.txt tune --method regression --train small.txt --folds 3 --journal @
    protects small.txt calibrate small.model small.txt -o @
    protects small.model calibrate small.model small.txt -o @
    protects small.txt ensemble small.model --valid small.txt -o @
    protects small.model ensemble small.model --valid small.txt -o @
    protects small.txt score small.model small.txt -o @
    protects small.model score small.model small.txt -o @
    protects costs.txt score small.model small.txt --scoring cost-ratio --cost costs.txt -o @
    protects small.txt convert small.txt @
    protects weights.txt convert small.txt @ --row-weights weights.txt
    protects small.txt eval small.txt small.scores --per-query @
    protects small.scores eval small.txt small.scores --per-query @
    protects small.txt eval small.txt small.model --calibration --svg @
    protects small.model report --data small.txt small.model -o @
    protects small.txt report --data other.txt,small.txt small.model -o @
}

@test "every option that names a file has a role" {
    # A new command or option that is not declared fails here: see "path" in cli/command.h.
    make_inputs
    for command in $(gradus help --list); do
        for name in $(gradus help "$command" | grep -oE -- '--[a-z-]+ (FILE|MODEL|SCORES)\b' |
            cut -d' ' -f1 | grep -vxE -- '--output' | sort -u); do
            cp small.txt danger.txt
            case $command in
            synth) kind=web ;;
            reproduce) kind=ordinal-table1 ;;
            *) kind= ;;
            esac
            # if it is read, -o must not name it; if it is written, an argument must not
            case $name in
            --per-query | --svg | --checkpoint | --journal)
                [ "$command" != reproduce ] || continue
                refuses 2 "'danger.txt'" gradus "$command" danger.txt "$name" danger.txt
                ;;
            *)
                gradus help "$command" | grep -qE -- '--output (FILE|MODEL)' || continue
                refuses 2 "'danger.txt'" gradus "$command" $kind "$name" danger.txt -o danger.txt
                ;;
            esac || { echo "of $command $name"; return 1; }
        done
    done
}

@test "split does not overwrite its data" {
    make_small
    mkdir -p parts/fold1 parts/Fold2
    for part in parts/train.txt parts/test.txt; do
        cp small.txt "$part"
        refuses 2 "would overwrite the input '$part'" gradus split "$part" --fractions 50,50 -o parts
        cmp small.txt "$part"
        rm "$part"
    done
    cp small.txt parts/fold1/test.txt
    refuses 2 "would overwrite the input" gradus split parts/fold1/test.txt --folds 3 -o parts
    cmp small.txt parts/fold1/test.txt
    rm parts/fold1/test.txt
    ln -s ../small.txt parts/valid.txt
    refuses 2 "would overwrite the input 'small.txt'" gradus split small.txt --fractions 34,33,33 -o ./parts/
    [ "$(ls parts)" = "$(printf 'Fold2\nfold1\nvalid.txt')" ]
    rm parts/valid.txt
    gradus split small.txt --fractions 34,33,33 -o parts -q
    gradus split small.txt --fractions 34,33,33 -o . -q
}

@test "the files of an input folder are not overwritten" {
    mkdir -p sets/Fold1
    make_small
    for f in 1 2 3 4 5; do
        mkdir -p "sets/Fold$f"
        for part in train vali test; do cp small.txt "sets/Fold$f/$part.txt"; done
    done
    refuses 2 "a data file in the input folder 'sets'" gradus tune --method regression --budget 1 \
        --fold-dirs sets -o sets/Fold3/vali.txt
    cmp small.txt sets/Fold3/vali.txt
    gradus tune --method regression --budget 1 --fold-dirs sets -o sets/best.model -q > out
    gradus tune --method regression --budget 1 --fold-dirs sets -o sets/best.model -q > out
}

@test "two outputs are two files" {
    make_inputs
    refuses 2 "--checkpoint and -o name the same file, 'new'" gradus train --method regression \
        --train small.txt -o new --checkpoint ./new
    refuses 2 "name the same file" gradus tune --method regression --train small.txt --folds 3 \
        --journal new -o new
    refuses 2 "name the same file" gradus eval small.txt small.model --calibration --per-query new \
        --svg "$PWD/new"
    [ ! -e new ]
    touch new
    ln -s new link
    refuses 2 "name the same file" gradus eval small.txt small.model --calibration --per-query new \
        --svg link
    gradus eval small.txt small.scores --per-query /dev/null > /dev/null
}

@test "output names chosen by the command do not overwrite inputs either" {
    make_inputs
    cp small.model new.checkpoint
    refuses 2 "would overwrite the input 'new.checkpoint'" gradus train --method regression --train small.txt \
        --start new.checkpoint -o new
    cmp small.model new.checkpoint
    cp small.scores report.html
    refuses 2 "would overwrite the input 'report.html'" gradus report --data small.txt report.html
    cmp small.scores report.html
    cp small.txt data.txt
    refuses 2 "would overwrite the input" gradus convert - data.txt < data.txt
    cmp small.txt data.txt
}

@test "files that are read and written by design" {
    make_inputs
    gradus tune --method regression --train small.txt --folds 3 --budget 1 --journal j -q > a
    gradus tune --method regression --train small.txt --folds 3 --budget 1 --journal j -q > b
    gradus train --method lambdamart --train small.txt --rounds 3 --min-rows 1 -o m \
        --checkpoint c --resume -q > out
    gradus score small.model small.txt -o small.scores
    gradus score small.model small.txt -o small.scores
    gradus eval small.txt random --per-query - > out
    for again in 1 2; do # names of methods and costs are not files
        gradus score random small.txt -o random
        gradus score feature:1 small.txt -o feature:1
        gradus score small.model small.txt --scoring cost-ratio --cost linear -o linear
    done
}

@test "tune accepts only a journal as its journal" {
    make_small
    local tune=(gradus tune --method regression --train small.txt --folds 3 --budget 1 -q --journal)
    gzip -c < /dev/null > empty.gz
    printf 'my only note' > note
    printf '{"journal":"tune"' > begun
    printf '{"my":"settings"}' > settings.json
    head -c 100 small.txt | tr '\n' ' ' > data
    for file in empty.gz note settings.json data; do
        cp "$file" copy
        refuses 1 "'$file' is not a journal" "${tune[@]}" "$file"
        cmp "$file" copy
    done
    "${tune[@]}" whole > a
    "${tune[@]}" begun > b # as left by a killed run
    [ "$(head -n 1 begun)" = "$(head -n 1 whole)" ]
    head -c 40 whole > torn
    "${tune[@]}" torn > b
    [ "$(head -n 1 torn)" = "$(head -n 1 whole)" ]
}
