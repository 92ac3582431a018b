# SPDX-License-Identifier: Apache-2.0
# Charts use the characters of the locale: blocks and braille in UTF-8, otherwise ASCII.
load common

make_model() {
    gradus synth web --queries 20 -o data.txt -q
    gradus train --train data.txt --valid data.txt --rounds 12 --leaves 4 -o m.model -q > /dev/null
    gradus train --method cocr --train data.txt --rounds 3 -o grades.model -q > /dev/null
}

# draw FILE: runs every command that draws.
draw() {
    {
        gradus describe data.txt
        gradus show m.model
        gradus show m.model --tree 1
        gradus explain m.model data.txt --query 1 --document 1
        gradus explain m.model data.txt --top 3
        gradus explain m.model data.txt --feature 130
        gradus eval data.txt grades.model --calibration --metric ndcg@10
        gradus eval data.txt grades.model --confusion --metric ndcg@10
    } > "$1"
}

is_ascii() {
    ! LC_ALL=C grep -nP '[\x80-\xff]' "$1"
}

@test "charts are ASCII if the locale is not UTF-8" {
    make_model
    LC_ALL=C.UTF-8 draw blocks
    LC_ALL=C draw plain
    is_ascii plain
    [ "$(wc -l < plain)" -eq "$(wc -l < blocks)" ]
    grep -q '█' blocks
    grep -q '├─ yes' blocks
    LC_ALL=C grep -qP '\xe2[\xa0-\xa3][\x80-\xbf]' blocks # braille
    grep -q '###' plain
    grep -q '^|- yes' plain
    grep -q '^`- no' plain
    grep -q " +[:.' ]*[:.'][:.' ]*" plain
    grep -q ' +-----' plain
    # Numbers and words are the same.
    LC_ALL=C tr -cd 'A-Za-z0-9\n' < plain > a
    LC_ALL=C tr -cd 'A-Za-z0-9\n' < blocks > b
    cmp a b
}

@test "the locale is determined as in other programs" {
    make_model
    LC_ALL=C.UTF-8 gradus show m.model > blocks
    LC_ALL=C gradus show m.model > plain
    differ blocks plain
    unset LC_ALL LC_CTYPE LANG
    gradus show m.model | cmp plain
    LANG=C.UTF-8 gradus show m.model | cmp blocks
    LANG=C.UTF-8 LC_CTYPE=C gradus show m.model | cmp plain
    LANG=C LC_CTYPE=C.UTF-8 gradus show m.model | cmp blocks
    LC_ALL= LANG=C.UTF-8 gradus show m.model | cmp blocks
    LANG=zz_ZZ.utf8 gradus show m.model | cmp blocks # not installed
    LANG=zz_ZZ gradus show m.model | cmp plain
}

@test "the progress bar of training is ASCII, too" {
    command -v script > /dev/null || skip "no script"
    make_model
    LC_ALL=C TERM=xterm script -qec "stty cols 100; '$GRADUS' train --train data.txt --rounds 20 -o a.model" /dev/null < /dev/null > shown
    is_ascii shown
    grep -q '/20 [#.]*' shown
}
