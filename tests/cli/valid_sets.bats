# SPDX-License-Identifier: Apache-2.0
# Several named validation sets.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    for set in 1 2 3 4; do
        "$GRADUS" synth mcrank --queries 12 --documents 15 --features 8 --seed 1 --first-query $((100 * set)) -q -o $set.txt
    done
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

train() {
    gradus train --method lambdamart --train 1.txt --rounds 8 "$@"
}

@test "the first set selects the best round, and all are shown" {
    train --valid 2.txt -q -o plain.model > out
    train --valid fresh=2.txt --valid old=3.txt --test 4.txt -o a.model > out 2> lines
    cmp plain.model a.model
    grep -qE "^metric +train +fresh +old +test$" out
    grep -qE "^best round .* on fresh$" out
    grep -qE "^round 1 of 8: ndcg@10 fresh [0-9.]+ old [0-9.]+ best " lines
    train --valid fresh=2.txt --valid old=3.txt -q -o a.model --json > events
    tail -1 events | jq -e '.metrics | keys == ["fresh", "old", "train"]'
    head -1 events | jq -e '.fresh.file == "2.txt" and .old.queries == 12'
    for round in 1 4 8; do
        gradus train --method lambdamart --train 1.txt --rounds $round -q -o r.model > out
        gradus eval 3.txt r.model --metric ndcg@10 --json | jq '.[0].metrics["ndcg@10"]' > wanted
        jq "select(.event == \"round\" and .round == $round) | .valids.old" events | diff - wanted
        jq -es "map(select(.event == \"round\" and .round == $round))[0] | .valid == .valids.fresh" events
    done
}

@test "plain files form one set, and so do files of one name" {
    cat 2.txt 3.txt > both.txt
    train --valid both.txt -q -o plain.model > out
    train --valid 2.txt --valid 3.txt --valid late=4.txt -q -o a.model > out
    cmp plain.model a.model
    grep -qE "^metric +train +valid +late$" out
    train --valid x=2.txt --valid 4.txt --valid x=3.txt -q -o a.model --json > events
    cmp plain.model a.model
    head -1 events | jq -e '.x.files == ["2.txt", "3.txt"] and .valid.file == "4.txt"'
}

@test "other methods evaluate all sets, with transforms and after a warm start" {
    for method in mcrank ranknet rankboost propodds; do
        gradus train --method $method --train 1.txt --rounds 3 --keep last -q -o a.model --json \
            --valid a=2.txt --valid b=3.txt > events 2> err
        gradus eval 3.txt a.model --metric ndcg@10 --json | jq '.[0].metrics["ndcg@10"]' > wanted
        jq 'select(.event == "round" and .round == 3) | .valids.b' events | diff - wanted
    done
    train --valid a=2.txt --valid b=3.txt -q -o whole.model --json > whole
    gradus train --method lambdamart --train 1.txt --rounds 4 --valid a=2.txt --valid b=3.txt -q -o half.model \
        --keep last > out
    gradus train --method lambdamart --train 1.txt --rounds 4 --valid a=2.txt --valid b=3.txt -q -o more.model \
        --start half.model --json > more
    jq 'select(.event == "round" and .round == 8) | .valids' more > b
    jq 'select(.event == "round" and .round == 8) | .valids' whole | cmp - b
}

@test "names of sets" {
    refuses 2 "the name 'test' is reserved for another set" train --valid test=2.txt -o a.model
    refuses 2 "--valid takes data, but 'plain.model' is a model" train --valid x=plain.model -o a.model
    refuses 1 "no.txt" train --valid x=2.txt --valid y=no.txt -o a.model -q
    cp 2.txt "x=2.txt"
    train --valid "x=2.txt" -q -o a.model > out
    grep -qE "^metric +train +valid$" out
    mkdir -p day=1 && cp 2.txt day=1/valid.txt
    train --valid day=1/valid.txt -q -o a.model > out
    grep -qE "^metric +train +valid$" out
    refuses 2 "would overwrite" train --valid old=2.txt -o 2.txt
}
