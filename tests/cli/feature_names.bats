# SPDX-License-Identifier: Apache-2.0
# Features are found by position: named columns in another order are an error, not wrong scores.
load common

@test "columns in another order are refused" {
    gradus synth web --queries 20 --documents 10 -q -o data.txt
    gradus convert data.txt data.csv -q
    awk -F, -v OFS=, '{ x = $(NF - 1); $(NF - 1) = $NF; $NF = x } 1' data.csv > swapped.csv
    gradus train --method regression --rounds 3 --train data.csv -q -o a.model > log
    gradus score a.model data.csv > scores
    refuses 2 "is 'f135' in the model, but 'f136' in the data" gradus score a.model swapped.csv
    refuses 2 "in the same order" gradus eval swapped.csv a.model
    refuses 2 "is 'f135' in the training data, but 'f136' in the validation data" \
        gradus train --method regression --train data.csv --valid swapped.csv -o b.model
    gradus convert swapped.csv swapped.gradus -q
    refuses 2 "in the same order" gradus score a.model swapped.gradus
    # Data without names are used by position.
    gradus score a.model data.txt > by_position
    cmp scores by_position
}
