#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/make_models.sh GRADUS FOLDER
#
# Writes the valid models of the fuzz corpus: one small file for each kind of node, ensemble and
# calibration. They are committed in tests/fuzz/corpus/model; run this again after a change of the
# format, or for a new kind.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
gradus=$(realpath "$1")
folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/../fixtures/model_steps.sh"

# make_rows SEED MISSING: 12 queries of 6 rows with 4 features and grades 0 to 2.
make_rows() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        for (q = 1; q <= 12; q++)
            for (d = 0; d < 6; d++) {
                a = rand(); b = rand(); c = rand()
                printf "%d qid:%d 1:%.3f 2:%.3f 3:%.3f 4:%d\n", int(3 * (0.7 * a + 0.3 * b)), q, a, b, c, d
            }
    }'
}
make_rows 1 >train.txt
make_rows 2 >valid.txt
sed -E 's/^([0-9]+) qid:([0-9]+) 1:([^ ]+) 2:([^ ]+) 3:([^ ]+) 4:(.+)/\1,\2,\3,\4,\5,\6/' train.txt |
    sed '1i label,query,price,"a ""name""",click rate,rank' >train.csv


train forest lambdamart --rounds 3 --leaves 4 --min-rows 3
train forest-valid mcrank --rounds 3 --leaves 3 --min-rows 3 --valid valid.txt
"$gradus" train --method lambdamart --train train.csv -o forest-names.model --rounds 2 --leaves 4 \
    --min-rows 3 --threads 1 -q >/dev/null
train thresholds propodds --rounds 3 --leaves 3 --min-rows 3
train linear cocr --learner linear
train odds propodds --learner linear
train m5 cocr --learner bagged-m5p --rounds 2
train kernel svor-imc --kernel gaussian
train svor-linear svor-exc --kernel linear
train hash crr --hash-bits 3 --steps 2000
train landmarks crr --landmarks 4 --steps 2000
train net ranknet --hidden 3 --rounds 2
train votes adaboost-mh --rounds 4
train products adaboost-mh --rounds 3 --base product
train weak rankboost --rounds 3
train gaussians regression --learner gaussians --rounds 2
train calibrated calibrated --valid valid.txt --rounds 2 --leaves-grid 2 --terms-grid 2 \
    --rounds-grid 2 --calibrations ls,sn

combine_all

for how in ls sn platt isotonic beta temperature linear polynomial network gaussian-process ordinal; do
    calibrate "calibration-$how" forest-valid "$how"
done
for model in *.model; do
    cp "$model" "$folder/trained-$model"
done
