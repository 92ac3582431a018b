# SPDX-License-Identifier: Apache-2.0
# Several processes that do not do the same, or that are lost: no model, and a sentence that says why.
load common
load mpi_ranks

@test "a lost operation ends with status 75 and a message" {
    need openmpi
    local delayed
    delayed=$(dirname "$GRADUS")/tests/delayed/libgradus-mpi-openmpi.so
    [ -e "$delayed" ] || skip "no plug-in for tests"
    mkdir bin
    cp "$GRADUS" "$delayed" bin/
    # with other seeds of this plug-in, ranks divide messages differently, and so enter operations of other sizes
    cat > each.sh <<'SCRIPT'
export GRADUS_MPI_SEED=$OMPI_COMM_WORLD_RANK GRADUS_MPI_SHARED=0
exec bin/gradus train --method lambdamart --train train.gradus --rounds 20 --distributed mpi -q -o many.model
SCRIPT
    status=0
    timeout 60 mpirun.openmpi --oversubscribe --allow-run-as-root -n 2 sh each.sh > out 2> err || status=$?
    [ "$status" -eq 75 ] || { echo "status $status"; cat err; return 1; }
    grep -q "another process is lost: MPI_ERR_TRUNCATE" err
    [ ! -e many.model ]
}

# each_of WORDS...: two ranks run the command, with %r in words replaced by the rank and %s by 100 more. MPICH: Open
# MPI's launcher takes two seconds to end after a failure.
each_of() {
    cat > each.sh <<'SCRIPT'
for word; do
    shift
    set -- "$@" "$(echo "$word" | sed "s/%r/$PMI_RANK/; s/%s/$((100 + PMI_RANK))/")"
done
exec "$GRADUS" "$@" --distributed mpi
SCRIPT
    status=0
    timeout 60 mpiexec.mpich -n 2 sh each.sh "$@" > out 2> err || status=$?
}

# refused_once MESSAGE WORDS...: both ranks end with status 2, and one message
refused_once() {
    local message=$1
    shift
    each_of "$@"
    [ "$status" -eq 2 ] || { echo "status $status"; cat err; return 1; }
    [ "$(grep -c "gradus: " err)" -eq 1 ] && grep -qF -- "$message" err || { cat err; return 1; }
    [ ! -e many.model ]
}

@test "ranks with other options or files are refused, with the rank and what differs" {
    need mpich
    # copies, one of them stale: of the same size
    cp train.txt copy-0.txt
    sed '1s/^./4/' train.txt > copy-1.txt
    gradus convert copy-0.txt copy-0.gradus -q > convert.log
    gradus convert copy-1.txt copy-1.gradus -q > convert.log
    gradus train --train train.txt --rounds 2 -q -o start-0.model > one.out
    gradus train --train train.txt --rounds 3 -q -o start-1.model > one.out
    set -- --rounds 3 -o many.model -q
    refused_once "rank 1 has --bins 101, but rank 0 has --bins 100: all processes need the same options and data" \
        train --train train.gradus --bins %s "$@"
    refused_once "rank 1 has --rounds 101, but rank 0 has --rounds 100" train --train train.gradus --rounds %s \
        -o many.model
    for kind in txt gradus; do
        refused_once "rank 1 has a file for --train of $(stat -c %s copy-1.$kind) bytes (checksum " train \
            --train copy-%r.$kind "$@"
        refused_once "rank 1 has a file for --valid of " train --train train.gradus --valid copy-%r.$kind "$@"
    done
    refused_once "rank 1 has a file for --row-weights of " train --train train.txt --row-weights copy-%r.txt "$@"
    refused_once "rank 1 has a file for --start of " train --train train.txt --start start-%r.model "$@"
    refused_once "rank 1 has a file of " eval train.txt start-%r.model
    refused_once "rank 1 has --metric ndcg@101, but rank 0 has --metric ndcg@100" eval train.txt start-0.model \
        --metric ndcg@%s
    refused_once "rank 1 has a file of " score start-0.model copy-%r.txt -o many.scores
    refused_once "rank 1 has the argument feature:1, but rank 0 has the argument feature:0" eval train.gradus feature:%r
    refused_once "rank 1 has a file of " describe copy-%r.txt
    refused_once "rank 1 has --budget 101, but rank 0 has --budget 100" tune --train train.txt --valid valid.txt \
        --method cocr --budget %s
    [ ! -e many.scores ]
}

@test "ranks may have other outputs, threads and checkpoints, and folders of the same files" {
    need mpich
    gradus train --train train.txt --row-weights weights.txt --rounds 3 -q -o one.model > one.out
    for rank in 0 1; do
        mkdir folder-$rank
        cp train.txt weights.txt folder-$rank/
    done
    each_of train --train folder-%r/train.txt --row-weights folder-%r/weights.txt --rounds 3 --threads %s -q \
        --checkpoint-every %s -o folder-%r/many.model
    [ "$status" -eq 0 ] || { cat err; return 1; }
    same one.model folder-0/many.model
    # of a list with a file for each rank, a rank needs its own file only
    awk '{ split($2, q, ":"); print > "part-" (q[2] > 45) ".txt" }' train.txt
    gradus train --train part-0.txt --train part-1.txt --rounds 3 -q -o one.model > one.out
    mv part-0.txt part-1.txt folder-0
    cp folder-0/part-1.txt folder-1
    echo "not data" > folder-1/part-0.txt
    each_of train --train folder-%r/part-0.txt --train folder-%r/part-1.txt --rounds 3 -q -o folder-%r/many.model
    [ "$status" -eq 0 ] || { cat err; return 1; }
    same one.model folder-0/many.model
}

@test "standard input and rows without queries are refused" {
    need mpich
    set -- --rounds 3 -o many.model -q
    refused_once "--train -: each of several processes reads its files itself" train --train - "$@"
    refused_once "--valid -: each of several processes" train --train train.txt --valid - "$@"
    refused_once "gradus: -: each of several processes" eval - feature:1
    sed 's/qid:[0-9]* //' train.txt > plain.txt
    refused_once "2 processes cannot divide the training data, because its rows have no query ids" train \
        --train plain.txt --method regression "$@"
}
