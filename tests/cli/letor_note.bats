# SPDX-License-Identifier: Apache-2.0
# For LETOR data under the default convention, a note names the convention of the LETOR papers.
load common

# make_letor FEATURES NAME: two queries of documents with names like NAME, in which a # becomes the
# row's number.
make_letor() {
    awk -v features="$1" -v name="$2" 'BEGIN {
        for (row = 0; row < 10; row++) {
            line = row % 3 " qid:" 10 + int(row / 5)
            for (f = 1; f <= features; f++)
                line = line " " f ":" (row * 7 + f) % 10 / 10
            docid = name
            sub(/#/, row, docid)
            print line " #docid = " docid " inc = 1 prob = 0.1"
        }
    }'
}

@test "LETOR data are recognised" {
    make_letor 46 GX008-86-444484# | sed "s/GX008-86-4444849/GX008-86-14444849/" > mq.txt
    make_letor 64 G14-65-263540# > td.txt
    make_letor 45 24433# > ohsumed.txt
    for set in mq.txt:letor4 td.txt:letor3 ohsumed.txt:letor3; do
        file=${set%:*}
        gradus eval "$file" feature:3 > out 2> err
        [ "$(wc -l < err)" -eq 1 ]
        grep -q "^note: '$file' looks like LETOR .*--convention ${set#*:}\$" err
        gradus eval "$file" feature:3 --convention "${set#*:}" > out 2> err
        [ ! -s err ]
    done
    gradus compare mq.txt feature:3 feature:4 --metric ndcg@10 > out 2> err
    [ "$(grep -c 'looks like LETOR' err)" -eq 1 ]
    gradus compare mq.txt feature:3 feature:4 + mq.txt feature:3 feature:4 --combine fisher --metric ndcg@10 > out 2> err
    [ "$(grep -c 'looks like LETOR' err)" -eq 1 ]
    gradus train --train mq.txt --rounds 1 --min-rows 1 -o m > out 2> err
    [ "$(grep -c 'looks like LETOR' err)" -eq 1 ]
    gradus convert mq.txt mq.gradus -q
    gradus eval mq.gradus feature:3 2>&1 > out | grep -q letor4
}

@test "no note with -q, --json or --convention, nor for other data" {
    make_letor 46 GX008-86-444484# > mq.txt
    for words in -q --json "--convention gradus" --convention=mslr; do
        # shellcheck disable=SC2086 # words
        gradus eval mq.txt feature:3 $words > out 2> err
        lacks 'looks like' err
    done
    make_letor 46 24433# > a.txt
    make_letor 47 GX008-86-444484# > b.txt
    make_letor 64 GX008-86-444484# > c.txt
    make_letor 45 doc# > d.txt
    make_letor 46 GX008-86-444484#x > e.txt
    sed 's/#.*//' mq.txt > f.txt
    sed '10s/#docid = GX008/#docid = XX008/' mq.txt > g.txt
    make_letor 45 24433# | awk '{ for (i = 0; i < 12; i++) { $2 = "qid:" (NR * 12 + i); print } }' > h.txt
    for file in [a-h].txt; do
        gradus eval "$file" feature:3 > out 2> err
        lacks 'looks like' err
    done
}
