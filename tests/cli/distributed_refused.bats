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
