# SPDX-License-Identifier: Apache-2.0
# Every method that can be distributed, on 1 to 4 ranks of Open MPI and 4 of MPICH: the bytes of a single
# process. The cases together have text, CSV, binary and binned input, weights, missing values (in all of
# them), validation, early stopping, sampled rows and lists of files.
load common
load mpi_ranks

# matches LINE...: trains each line's options, and compares the models of all numbers of ranks with that of one process
matches() {
    local line ranks
    for line; do
        # shellcheck disable=SC2086 # words are split
        set -- train $line -q
        gradus "$@" -o one.model > one.out || { echo "$line"; return 1; }
        for ranks in 1 2 3 4; do
            openmpi $ranks "$@" --distributed mpi -o many.model || { echo "$line"; cat err; return 1; }
            same one.model many.model || { echo "Open MPI, $ranks ranks: $line"; return 1; }
        done
        mpich 4 "$@" --distributed mpi -o many.model || { echo "$line"; cat err; return 1; }
        same one.model many.model || { echo "MPICH, 4 ranks: $line"; return 1; }
    done
}

@test "boosted trees" {
    need openmpi mpich
    gradus convert train.txt train.csv -q > convert.log
    gradus convert train.txt train.bins --binned --bins 40 > convert.log
    awk '{ split($2, q, ":"); print > "part-" int((q[2] - 1) / 18) ".txt" }' train.txt
    matches \
        "--method lambdamart --train train.txt --row-weights weights.txt --valid valid.txt --rounds 30 --patience 2" \
        "--method lambdamart --train train.bins --valid valid.gradus --rounds 6" \
        "--method regression --train train.gradus --row-weights weights.txt --rounds 5" \
        "--method regression --loss huber --train train.csv --row-weights weights.txt --rounds 5" \
        "--method cocr --train train.gradus --valid valid.gradus --rounds 12 --patience 2" \
        "--method mcrank --train train.gradus --row-weights weights.txt --row-fraction 0.7 --rounds 5" \
        "--method mcrank-ordinal --train train.txt --valid valid.txt --rounds 5" \
        "--method propodds --train train.txt --row-weights weights.txt --rounds 5" \
        "--method orboost --train train.gradus --valid valid.txt --rounds 60 --patience 2" \
        "--method pairrank --train $(echo part-?.txt | sed 's/ / --train /g') --valid valid.txt --rounds 5"
}

@test "linear models" {
    need openmpi mpich
    matches \
        "--method regression --learner linear --train train.txt --row-weights weights.txt --valid valid.txt" \
        "--method cocr --learner linear --train train.gradus --valid valid.gradus" \
        "--method propodds --learner linear --train train.gradus --row-weights weights.txt"
}

@test "by messages instead of shared memory" {
    need openmpi
    export GRADUS_MPI_SHARED=0
    for method in regression cocr mcrank mcrank-ordinal propodds orboost pairrank; do
        set -- train --method $method --train train.gradus --rounds 5 -q
        gradus "$@" -o one.model > one.out
        openmpi 2 "$@" --distributed mpi -o many.model
        same one.model many.model
    done
}
