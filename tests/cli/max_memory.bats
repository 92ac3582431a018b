# SPDX-License-Identifier: Apache-2.0
# --max-memory applies to every command that reads data, by an estimate before memory is allocated.
load common

# Two rows with a large feature id: 160 MB if stored dense.
make_wide() {
    printf '1 qid:1 1:0.5 20000000:1\n0 qid:1 1:0.25\n' > wide.txt
}

message="'wide.txt', stored dense, with 2 rows of 20000000 features needs about 0.16 GB of memory, more than the limit of 0.105 GB ('max-memory')"

@test "reading wide data dense obeys --max-memory in every command" {
    make_wide
    printf '0.5\n0.25\n' > wide.scores
    refuses 1 "$message" gradus describe wide.txt --storage dense --max-memory 100M
    refuses 1 "$message" gradus convert wide.txt wide.gradus --storage dense --max-memory 100M
    refuses 1 "$message" gradus eval wide.txt wide.scores --storage dense --max-memory 100M
    refuses 1 "$message" gradus score feature:1 wide.txt --storage dense --max-memory 100M
    refuses 1 "$message" gradus train --train wide.txt -o wide.model --storage dense --max-memory 100M
    [ ! -e wide.gradus ]
    [ ! -e wide.model ]
}

@test "the same data are accepted within the limit, sparse or dense" {
    make_wide
    printf '0.5\n0.25\n' > wide.scores
    gradus eval wide.txt wide.scores --max-memory 100M > out
    gradus convert wide.txt dense.gradus --storage dense --max-memory 200M -q
    gradus convert wide.txt unlimited.gradus --storage dense --max-memory 0 -q
    cmp dense.gradus unlimited.gradus
}

@test "sparse rows and several files are counted too" {
    seq 1 20000 | sed 's/.*/1 qid:& 1:0.5 7:2 999999:1/' > sparse.txt
    refuses 1 "'sparse.txt', stored sparse, with " gradus describe sparse.txt --max-memory 300K
    gradus describe sparse.txt --max-memory 100M > out
    make_wide
    sed 's/qid:1/qid:2/' wide.txt > other.txt
    refuses 1 "needs about 0.16 GB of memory" gradus train --train wide.txt --train other.txt -o x.model \
        --storage dense --max-memory 100M
}

@test "a transform that makes wide rows dense obeys --max-memory" {
    make_wide
    refuses 1 "transform 'minmax' of 2 rows of 20000000 features needs about 0.16 GB of memory" \
        gradus convert wide.txt wide.gradus --transform minmax --max-memory 100M
}

@test "a compressed binary file is counted by its uncompressed size" {
    gradus synth web --queries 60 -o web.gradus -q
    gzip -k web.gradus
    refuses 1 "'web.gradus.gz', read from a pipe or decompressed, needs about" \
        gradus describe web.gradus.gz --max-memory 2M
    gradus describe web.gradus.gz --max-memory 50M > packed
    gradus describe web.gradus --max-memory 2M > mapped
    diff <(tail -n +2 packed) <(tail -n +2 mapped)
}

@test "training on many rows obeys --max-memory" {
    gradus synth mcrank --queries 500 --documents 20 --features 5 -o rows.gradus -q
    refuses 1 "'lambdamart' on 10000 rows of 5 features needs about 0.00057 GB of memory" \
        gradus train --train rows.gradus -o a.model --max-memory 500K
    refuses 1 "'regression' on 10000 rows of 5 features needs about" \
        gradus train --method regression --learner gaussians --train rows.gradus -o a.model --max-memory 40K
    gradus train --train rows.gradus --rounds 2 -o a.model --max-memory 600K -q > out
}
