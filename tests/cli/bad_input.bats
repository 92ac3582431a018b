# SPDX-License-Identifier: Apache-2.0
# Broken input is refused completely: one clear line, the right exit status, no files left behind.
load common

@test "a file that does not exist" {
    refuses 1 "cannot open 'none.txt': no such file or directory" gradus describe none.txt
}

@test "a folder" {
    mkdir folder
    refuses 1 "cannot read 'folder': is a directory" gradus describe folder
}

@test "an empty file" {
    : > empty.txt
    refuses 1 "empty.txt: the file is empty" gradus describe empty.txt
}

@test "a file of blank lines and comments" {
    printf '\n# nothing\n\n' > blank.txt
    refuses 1 "blank.txt: no rows" gradus describe blank.txt
}

@test "binary junk" {
    printf '\177ELF\002\001\001\000\000\377\376\n\000\000' > junk
    refuses 1 "junk:1:1: expected a label (a number)" gradus describe junk
}

@test "a bad label" {
    printf '1 qid:1 1:2\nx qid:1 1:3\n' > bad.txt
    refuses 1 "bad.txt:2:1: expected a label (a number), found 'x'" gradus describe bad.txt
}

@test "a bad index" {
    printf '1 qid:1 1:2 b:3\n' > bad.txt
    refuses 1 "bad.txt:1:13: expected id:value, found 'b:3'" gradus describe bad.txt
}

@test "index 0 twice" {
    printf '1 qid:1 0:2 0:3\n' > bad.txt
    refuses 1 "bad.txt:1:13: expected each feature id once per row, found '0:3'" gradus describe bad.txt
}

@test "a line of 1 GB" {
    # a sparse file takes no disk space; it reads as NUL bytes
    printf '1 qid:1 1:2\n1 qid:1 1:' > long.txt
    truncate -s 1G long.txt
    refuses 1 "long.txt: a line is longer than 64 MiB" gradus describe long.txt
}

@test "a NUL byte" {
    printf '1 qid:1 1:2\n1 qid:1 1:\0003\n' > nul.txt
    refuses 1 "nul.txt:2:11: expected a number after 'id:'" gradus describe nul.txt
}

@test "a query id of 10 kB" {
    { printf '1 qid:'; head -c 10000 /dev/zero | tr '\0' q; printf ' 1:2\n'; } > long.txt
    refuses 1 "long.txt:1:7: expected a query id of at most 4096 bytes" gradus describe long.txt
}

@test "labels that are not grades" {
    printf '2000 qid:1 1:2\n0 qid:1 1:3\n' > large.txt
    printf -- '-1 qid:1 1:2\n1 qid:1 1:3\n' > negative.txt
    refuses 1 "row 1: label 2000" gradus eval large.txt feature:1 --metric ndcg@10
    refuses 1 "row 1: label -1" gradus eval negative.txt feature:1 --metric ndcg@10
    gradus eval large.txt feature:1 --metric ndcg@10 --gain linear
}

@test "more scores than rows, and fewer" {
    make_small
    seq 13 > more
    seq 11 > fewer
    refuses 1 "13 scores for 12 rows" gradus eval small.txt more
    refuses 1 "11 scores for 12 rows" gradus eval small.txt fewer
}

@test "scores that are not finite" {
    make_small
    { seq 11; echo nan; } > nan
    { echo inf; seq 11; } > inf
    refuses 1 "nan:12:1:" gradus eval small.txt nan
    refuses 1 "inf:1:1:" gradus eval small.txt inf
}

@test "an unknown metric, option, command, convention, test" {
    make_small
    refuses 2 "unknown metric 'ngcd'; did you mean 'ndcg'?" gradus eval small.txt random --metric ngcd@10
    refuses 2 "unknown option '--metrc'; did you mean '--metric'?" gradus eval small.txt random --metrc map
    refuses 2 "unknown command 'evla'; did you mean 'eval'?" gradus evla
    refuses 2 "did you mean 'letor4'?" gradus eval small.txt random --convention letr4
    refuses 2 "did you mean 'wilcoxon'?" gradus compare small.txt random feature:1 --metric map --test wilcoxn
    refuses 2 "did you mean 'web'?" gradus synth wbe
}

@test "options without a value, of the wrong kind, out of range" {
    make_small
    refuses 2 "--metric needs a value" gradus eval small.txt random --metric
    refuses 2 "--threads takes a whole number from 0 to 1024, not 'x'" gradus eval small.txt random --threads x
    refuses 2 "'bins' takes a whole number from 1 to 1000000, not '0'" gradus eval small.txt random --bins 0
    refuses 2 "--json takes no value" gradus eval small.txt random --json=yes
}

@test "too few arguments" {
    refuses 2 "gradus eval needs data and scores" gradus eval
    refuses 2 "gradus convert needs two files" gradus convert one
    refuses 2 "gradus synth needs a kind first: " gradus synth --queries 3
    make_small
    refuses 2 "needs DATA and 2 to 16 scores" gradus compare small.txt random
}

@test "an unknown feature, method or score file" {
    make_small
    refuses 2 "feature" gradus eval small.txt feature:99
    refuses 1 "'featur:1'" gradus eval small.txt featur:1
}

@test "an output that cannot be written" {
    make_small
    refuses 1 "cannot write" gradus convert small.txt nowhere/out.txt
    mkdir folder
    refuses 1 "is a directory" gradus convert small.txt folder
    [ -z "$(ls folder)" ]
}

@test "a full disk" {
    [ -w /dev/full ] || skip "no /dev/full"
    make_small
    refuses 1 "no space left on device" gradus convert small.txt /dev/full
    local got=0
    gradus eval small.txt random > /dev/full 2> err || got=$?
    [ "$got" -eq 1 ]
    grep -q "cannot write 'standard output': no space left on device" err
}

@test "a closed pipe" {
    gradus synth web --queries 20 -o web.txt
    { got=0; gradus score random web.txt --run-name x 2> err || got=$?; echo "$got" > status; } | head -1 > first
    [ "$(wc -l < first)" -eq 1 ]
    # the reader may have read everything before it closed the pipe
    if [ "$(cat status)" -ne 0 ]; then
        [ "$(cat status)" -eq 1 ]
        grep -q "cannot write 'standard output': broken pipe" err
    fi
}

@test "a failed command leaves no file, and keeps the old one" {
    make_small
    printf 'keep\n' > out.txt
    printf '1 qid:1 1:x\n' > bad.txt
    refuses 1 "bad.txt:1:11" gradus convert bad.txt out.txt
    [ "$(cat out.txt)" = keep ]
    refuses 1 "bad.txt:1:11" gradus convert bad.txt new.txt
    [ ! -e new.txt ]
    [ "$(ls | wc -l)" -eq 5 ] # small.txt out.txt bad.txt and the two of this test
}

@test "damaged, truncated and newer binary files" {
    make_small
    gradus convert small.txt small.gradus
    head -c 100 small.gradus > cut.gradus
    refuses 1 "cut.gradus" gradus describe cut.gradus
    cp small.gradus hurt.gradus
    printf '%064d' 0 | dd of=hurt.gradus bs=1 seek=$(($(stat -c %s small.gradus) / 2)) conv=notrunc 2> /dev/null
    refuses 1 "hurt.gradus" gradus describe hurt.gradus
    cp small.gradus newer.gradus
    printf '\007' | dd of=newer.gradus bs=1 seek=12 conv=notrunc 2> /dev/null
    refuses 1 "'newer.gradus' has format version 7; this gradus reads versions up to 2" gradus describe newer.gradus
}

@test "compressed data that end too early" {
    gradus synth web --queries 5 -o web.txt
    gzip web.txt
    head -c 2000 web.txt.gz > cut.gz
    refuses 1 "cut.gz: compressed data is truncated" gradus describe cut.gz
}

@test "bad CSV" {
    printf 'label,a,b\n1,2,3\n0,5\n' > ragged.csv
    refuses 1 "ragged.csv:3:" gradus describe ragged.csv
    printf 'label,a\n1,x\n' > word.csv
    refuses 1 "word.csv:2:3:" gradus describe word.csv
}

@test "bad TREC files" {
    printf '1 0 d1 1\n1 0 d2\n' > bad.qrels
    printf '1 Q0 d1 1 0.5 run\n' > good.run
    printf '1 0 d1 1\n' > good.qrels
    printf '1 Q0 d1 1 zero run\n' > bad.run
    refuses 1 "bad.qrels:2:" gradus eval --qrels bad.qrels --run good.run
    refuses 1 "bad.run:1:" gradus eval --qrels good.qrels --run bad.run
}
