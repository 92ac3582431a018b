# SPDX-License-Identifier: Apache-2.0
# The calibrated ensemble of AdaBoost.MH on the command line.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    for part in train:1 valid:100 test:200; do
        "$GRADUS" synth mcrank --queries 15 --documents 15 --features 6 --grade-fractions 60,25,15 \
            --first-query ${part#*:} -q -o ${part%:*}.txt
    done
}

setup() {
    : "${GRADUS:?set GRADUS to the command to test}"
    cd "$BATS_FILE_TMPDIR" || exit 1
}

ensemble() {
    gradus train --method calibrated --train train.txt --valid valid.txt --rounds 6 --rounds-grid 2,4 \
        --leaves-grid 3,5 --terms-grid 2 "$@"
}

@test "one training run gives one model: probabilities, show, eval" {
    ensemble --test test.txt -o all.model > out 2> err
    grep -q "after 2 rounds: rate" err
    grep -qE "best round +[246]," out
    gradus score all.model test.txt --probabilities -o p
    awk '/^#/ { next } { s = 0; for (i = 1; i <= NF; i++) { if ($i < 0) exit 1; s += $i }
        if (NF != 3 || s < 0.999999 || s > 1.000001) exit 1 }' p
    gradus show all.model > shown
    grep -qE "^ensemble +of 1?[0-9] models" shown
    grep -q "method *calibrated" shown
    gradus eval test.txt all.model --calibration > table
    refuses 2 "combined with all rounds" gradus score all.model test.txt --rounds 2
}

@test "families: rbc gives a score" {
    ensemble -q --calibrations rbc -o rbc.model > out
    [ "$(gradus score rbc.model test.txt | wc -l)" -eq 225 ]
    refuses 2 "" gradus score rbc.model test.txt --probabilities
    ensemble -q --calibrations ordinal,ls -o some.model > out
    gradus score some.model test.txt --probabilities > p
}

@test "the same bytes with any number of threads, from binary data, and when resumed" {
    ensemble -q -o one.model --threads 1 > out
    ensemble -q -o four.model --threads 4 > out
    cmp one.model four.model
    for part in train valid; do gradus convert -q $part.txt $part.gradus; done
    gradus train -q --method calibrated --train train.gradus --valid valid.gradus --rounds 6 \
        --rounds-grid 2,4 --leaves-grid 3,5 --terms-grid 2 -o binary.model > out
    cmp one.model binary.model
    for wait in 0.02 0.05 0.1 0.2 0.3; do
        timeout -s KILL $wait "$GRADUS" train -q --method calibrated --train train.txt --valid valid.txt \
            --rounds 6 --rounds-grid 2,4 --leaves-grid 3,5 --terms-grid 2 -o killed.model \
            --checkpoint-every 1 --resume > out 2>&1 || true
    done
    ensemble -q -o killed.model --checkpoint-every 1 --resume > out 2>&1
    cmp one.model killed.model
    [ ! -e killed.model.checkpoint ]
}

@test "errors" {
    refuses 2 "weights its members by validation data, and there are none" gradus train -q --method calibrated \
        --train train.txt -o x.model
    refuses 2 "not for 'calibrated'" gradus train -q --method calibrated --base tree --train train.txt \
        --valid valid.txt -o x.model
    refuses 2 "'leaves' is for" gradus train -q --method calibrated --leaves 5 --train train.txt \
        --valid valid.txt -o x.model
    refuses 2 "'rates' is for calibrated" gradus train -q --method mcrank --rates 5 --train train.txt \
        -o x.model
    grep 'qid:3 ' train.txt > query.txt
    refuses 2 "leaves none to calibrate with" gradus train -q --method calibrated --train query.txt \
        --valid valid.txt -o x.model
    sed 's/^[0-9]/1/' train.txt > same.txt
    refuses 1 "at least 2 grades" gradus train -q --method calibrated --train same.txt --valid valid.txt \
        -o x.model
}

@test "two grades, and a grade that is missing from the calibration part" {
    for set in train valid; do sed 's/^2/1/' $set.txt > two-$set.txt; done
    gradus train -q --method calibrated --train two-train.txt --valid two-valid.txt --rounds 4 \
        --leaves-grid 3 --terms-grid none --calibrations cpc+rbc -o two.model > out
    [ "$(gradus score two.model test.txt | wc -l)" -eq 225 ]
    awk 'NR > 15 { sub(/^2/, "1") } { print }' train.txt > rare.txt
    gradus train --method calibrated --train rare.txt --valid valid.txt --rounds 2 --leaves-grid 3 \
        --terms-grid none -o rare.model > out 2> err
    grep -qE "no row of the part to (learn from|calibrate with) has grade 2" err
}
