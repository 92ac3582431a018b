# SPDX-License-Identifier: Apache-2.0
# Shared by the tests of --distributed: data, and commands on several ranks.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    # grades depend on the features; some values are missing, some rows weigh more
    for set in train:7:90 valid:8:30; do
        awk -v seed="${set#*:}" 'BEGIN { split(seed, s, ":"); srand(s[1])
            for (q = 1; q <= s[2]; q++) { rows = 3 + int(rand() * 20)
                for (r = 0; r < rows; r++) { a = rand(); b = rand(); c = rand()
                    g = int(2.9 * a * (0.5 + b) + 0.5 * c); g = g > 4 ? 4 : g
                    printf "%d qid:%d 1:%.4f 2:%s 3:%.2f 4:%d 5:%d\n", g, q, a,
                        (rand() < 0.1 ? "nan" : sprintf("%.4f", b)), c, rand() < 0.1 ? 5 * a : 0, q } } }' \
            > "${set%%:*}.txt"
    done
    awk '{ print 1 + NR % 3 }' train.txt > weights.txt
    "$GRADUS" convert train.txt train.gradus -q > convert.log
    "$GRADUS" convert valid.txt valid.gradus -q >> convert.log
    # what needs memory of its own, not that of MPI
    export ASAN_OPTIONS=detect_leaks=0
}

# The launcher's own notes go to the file err with ours.
openmpi() {
    local ranks=$1
    shift
    timeout 100 mpirun.openmpi --oversubscribe --allow-run-as-root -n "$ranks" "$GRADUS" "$@" > out 2> err
}

mpich() {
    local ranks=$1
    shift
    timeout 100 mpiexec.mpich -n "$ranks" "$GRADUS" "$@" > out 2> err
}

need() {
    local build
    build=$(dirname "$GRADUS")
    for kind; do
        [ -e "$build/libgradus-mpi-$kind.so" ] || skip "no $kind"
    done
    ln -sf "$BATS_FILE_TMPDIR"/*.txt "$BATS_FILE_TMPDIR"/*.gradus .
}

same() {
    cmp "$1" "$2" || { cat err; return 1; }
    rm "$2"
}
