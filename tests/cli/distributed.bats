# SPDX-License-Identifier: Apache-2.0
# gradus train --distributed, by the launchers of Open MPI and MPICH: the bytes of a single process.
load common
load mpi_ranks

@test "1, 2, 3 and 4 ranks of Open MPI and 4 of MPICH give the bytes of one process" {
    need openmpi mpich
    set -- train --method lambdamart --train train.gradus --valid valid.gradus --rounds 12 -q
    gradus "$@" -o one.model > one.out
    for ranks in 1 2 3 4; do
        openmpi $ranks "$@" --distributed mpi -o many.model
        same one.model many.model
    done
    mpich 4 "$@" --distributed mpi -o many.model
    same one.model many.model
    [ "$(grep -c '^method' out)" -eq 1 ] # one of them prints
    # by messages instead of shared memory
    export GRADUS_MPI_SHARED=0
    openmpi 3 "$@" --distributed mpi -o many.model
    same one.model many.model
    mpich 2 "$@" --distributed mpi -o many.model
    same one.model many.model
}

# untimed JOURNAL: its lines in alphabetical order, without times
untimed() {
    sed 's/"seconds":[-0-9.e]*//g; s/"used":[-0-9.e]*//g' "$1" | sort
}

@test "tune divides trials: the journal and the model of one process, also if resumed" {
    need openmpi
    set -- tune --method regression,cocr --train train.gradus --valid valid.gradus --budget 4 -q
    gradus "$@" --journal one.jsonl -o one.model > one.out
    openmpi 3 "$@" --distributed mpi --journal many.jsonl -o many.model
    same one.model many.model
    cmp <(untimed one.jsonl) <(untimed many.jsonl)
    head -n 4 one.jsonl > many.jsonl
    openmpi 2 "$@" --distributed mpi --journal many.jsonl -o many.model
    same one.model many.model
    cmp <(untimed one.jsonl) <(untimed many.jsonl)
    status=0
    openmpi 2 tune --method cocr --train train.gradus --folds 3 --budget 5s --distributed mpi || status=$?
    [ "$status" -eq 2 ]
    grep -q "gradus: a budget of time cannot be divided among processes" err
    [ "$(grep -c "a budget of time" err)" -eq 1 ]
}

@test "text, weights, samples, early stopping and losses that need the rows of a leaf" {
    need openmpi
    set -- train --method lambdamart --train train.txt --valid valid.txt --row-weights weights.txt --rounds 40 \
        --patience 3 --row-fraction 0.7 --train-eval-every 5 -q
    gradus "$@" -o one.model > one.out
    openmpi 3 "$@" --distributed mpi -o many.model
    same one.model many.model
    set -- train --method regression --loss huber --train train.txt --rounds 6 --row-weights weights.txt -q
    gradus "$@" -o one.model > one.out
    openmpi 2 "$@" --distributed openmpi -o many.model
    same one.model many.model
}

@test "metrics of queries, of all rows and of rows without queries on the validation data" {
    need openmpi
    for metric in map rmse u-cons gmap auc; do
        # shellcheck disable=SC2086 # words are split
        set -- train --method regression --train train.gradus --valid valid.gradus --metric $metric --rounds 15 \
            --patience 4 --train-eval-every 2 --json
        gradus "$@" -o one.model > one.out || { cat one.out; return 1; }
        openmpi 3 "$@" --distributed mpi -o many.model
        same one.model many.model
        cmp <(jq -c 'select(.event == "round") | [.round, .valid, .train]' one.out) \
            <(jq -c 'select(.event == "round") | [.round, .valid, .train]' out)
    done
}

@test "a binned file, by itself and resumed, gives the bytes of the file that it was made from" {
    need openmpi mpich
    gradus convert train.txt train.bins --binned --bins 40
    set -- --method lambdamart --valid valid.gradus --rounds 12 -q
    gradus train "$@" --train train.gradus --bins 40 -o one.model > one.out
    gradus train "$@" --train train.bins -o many.model > out 2> err
    same one.model many.model
    for ranks in 1 2 3 4; do
        openmpi $ranks train "$@" --train train.bins --distributed mpi -o many.model
        same one.model many.model
    done
    mpich 4 train "$@" --train train.bins --distributed mpi -o many.model
    same one.model many.model
    # a checkpoint of values is continued with bins
    gradus train --method lambdamart --train train.gradus --bins 40 --rounds 5 -q -o five.model > out
    gradus train --method lambdamart --train train.gradus --bins 40 --rounds 8 -q --start five.model -o one.model > out
    openmpi 3 train --method lambdamart --train train.bins --rounds 8 -q --start five.model --distributed mpi \
        -o many.model
    same one.model many.model
}

@test "text, CSV and lists of files are read in parts" {
    need openmpi mpich
    gradus convert train.txt train.csv -q
    # part-0.txt to part-4.txt: consecutive queries
    awk '{ sub("qid:", "", $2); f = "part-" int(($2 - 1) / 18) ".txt"; $2 = "qid:" $2; print > f }' train.txt
    for i in 0 1 2 3 4; do
        gradus convert part-$i.txt part-$i.gradus -q
    done
    for files in train.txt train.csv "part-0.txt part-1.txt part-2.txt part-3.txt part-4.txt" \
        "part-0.gradus part-1.gradus part-2.gradus part-3.gradus part-4.gradus"; do
        set -- train --method lambdamart --valid valid.txt --rounds 6 --row-weights weights.txt -q
        for file in $files; do
            set -- "$@" --train $file
        done
        gradus "$@" -o one.model > one.out
        for ranks in 1 2 4; do
            openmpi $ranks "$@" --distributed mpi -o many.model
            same one.model many.model
            diff <(grep '^ndcg\|^map \|^rounds' one.out) <(grep '^ndcg\|^map \|^rounds' out)
        done
    done
    mpich 4 "$@" --distributed mpi -o many.model
    same one.model many.model
}

@test "eval and score give the results of one process" {
    need openmpi
    gradus train --method mcrank --train train.gradus --rounds 5 -q -o one.model > one.out
    for file in valid.txt valid.gradus; do
        gradus eval $file one.model -q --json > one.out
        openmpi 3 eval $file one.model -q --json --distributed mpi
        diff one.out out
        for what in "" --probabilities --grades; do
            gradus score one.model $file -q -o one.scores $what
            openmpi 3 score one.model $file -q -o many.scores --distributed mpi $what
            same one.scores many.scores
        done
    done
    ! openmpi 3 score feature:1 valid.txt -q -o many.scores --distributed mpi
    grep 'divided among processes' err
}

@test "text has no colours and the width of a file, though Open MPI gives each rank a terminal" {
    need openmpi
    gradus train --method mcrank --train train.gradus --rounds 5 -q -o one.model > one.out
    # lines that would be wrapped, and a table of models
    ln -s one.model "$(printf 'a%.0s' {1..120}).model"
    for words in "eval valid.gradus one.model feature:1 --metric ndcg@10,map,err" "eval valid.txt a*.model" \
        "describe train.txt valid.txt"; do
        # shellcheck disable=SC2086 # words are split
        gradus $words > one.out 2> err
        for ranks in 1 2; do
            openmpi $ranks $words --distributed mpi || { cat err; return 1; }
            cmp one.out out || { cat -v out; return 1; }
        done
    done
}

@test "describe prints what one process does" {
    need openmpi mpich
    # features 6 and 8 are equal, 7 equals feature 1 except in the last row, 9 is constant
    awk -v last="$(wc -l < train.txt)" '{ split($3, a, ":")
        print $0, "6:" NR % 7, "7:" (NR < last ? a[2] : 9), "8:" NR % 7, "9:2" }' train.txt > odd.txt
    # 40 rows of it, 10 of them with another label and 5 with another value, and other queries
    awk 'NR <= 40 { if (NR <= 10) $1 = ($1 + 1) % 3; if (NR > 35) $5 = "3:7"; print }' odd.txt > leak.txt
    sed 's/qid:/qid:1000/' valid.txt >> leak.txt
    gradus convert odd.txt odd.csv -q
    gradus convert odd.txt odd.gradus -q
    gradus convert leak.txt leak.gradus -q
    gradus convert odd.txt sparse.gradus --storage sparse -q
    gradus describe odd.txt leak.txt -q > one.out
    grep -q '^constant     1 feature: 9$' one.out
    grep -q '^duplicate    1: 8 = 6$' one.out
    grep -q '^shared rows     35 rows of leak.txt are also in odd.txt, 25 with the same label$' one.out
    while read -r files; do
        for json in "" --json; do
            gradus describe $files $json -q > one.out
            for ranks in 1 2 3 4; do
                openmpi $ranks describe $files $json -q --distributed mpi
                diff one.out out || { cat err; return 1; }
            done
        done
    done <<'FILES'
odd.txt leak.txt
odd.gradus leak.txt
odd.csv leak.gradus
sparse.gradus leak.gradus
FILES
    mpich 4 describe odd.csv leak.txt -q --distributed mpi
    gradus describe odd.csv leak.txt -q | diff - out
}

# has_checkpoint: a checkpoint of the running training is complete
has_checkpoint() {
    [ -s many.model.checkpoint ]
}

wait_until() {
    for _ in $(seq 1500); do
        ! "$@" 2> /dev/null || return 0
        sleep 0.02
    done
    return 1
}

# rank_process RANK: the process of a rank that mpirun $launcher has started
rank_process() {
    local process
    for process in $(pgrep -P "$launcher"); do
        ! grep -qz "^OMPI_COMM_WORLD_RANK=$1\$" "/proc/$process/environ" || echo "$process"
    done
}

start_many() {
    mpirun.openmpi --oversubscribe --allow-run-as-root -n 4 "$GRADUS" "$@" --distributed mpi -o many.model \
        --checkpoint-every 1 > out 2> err &
    launcher=$!
    wait_until has_checkpoint
}

@test "after a killed rank, three ranks resume and give the same bytes" {
    need openmpi
    set -- train --method mcrank --train train.gradus --rounds 150 -q
    gradus "$@" -o one.model > one.out
    start_many "$@"
    kill -9 "$(rank_process 2)"
    status=0
    wait $launcher || status=$?
    [ "$status" -eq 137 ] || { echo "status $status"; cat err; return 1; }
    [ ! -e many.model ] && [ -s many.model.checkpoint ]
    openmpi 3 "$@" --distributed mpi --resume -o many.model || { cat err; return 1; }
    same one.model many.model
    [ ! -e many.model.checkpoint ]
}

@test "SIGTERM stops all ranks after the same round, and one process resumes" {
    need openmpi
    set -- train --method mcrank --train train.gradus --rounds 150 -q
    gradus "$@" -o one.model > one.out
    start_many "$@"
    kill -TERM "$(rank_process 1)"
    status=0
    wait $launcher || status=$?
    [ "$status" -eq 143 ] || { echo "status $status"; cat err; return 1; }
    grep -q "interrupted after round .* of 150; checkpoint saved to 'many.model.checkpoint'" err
    grep -q "^  mpirun -n 4 gradus train .* --distributed mpi .* --resume$" err
    gradus "$@" --resume --checkpoint many.model.checkpoint -o many.model > one.out
    same one.model many.model
}

# resume_command LAUNCHER WORDS...: stops a training on 2 ranks of MPICH, started with these words before the command,
# and looks for the command that resumes it
resume_command() {
    local name=$1
    shift
    rm -f many.model.checkpoint
    mpiexec.mpich -n 2 "$@" "$GRADUS" train --method mcrank --train train.gradus --rounds 100000 -q --distributed mpi \
        -o many.model --checkpoint-every 1 > out 2> err &
    launcher=$!
    wait_until has_checkpoint
    kill -TERM $launcher
    wait $launcher || true
    grep -q "^  $name -n 2 gradus train .* --resume$" err || { cat err; return 1; }
}

@test "the command that resumes names the launcher" {
    need mpich
    resume_command mpiexec
    resume_command srun env -u MPI_LOCALRANKID SLURM_STEP_ID=0 # the variables of srun --mpi=pmi2
}

is_gone() {
    ! kill -0 "$1" 2> /dev/null
}

@test "a rank that does not answer is not waited for after a signal" {
    need openmpi
    set -- train --method mcrank --train train.gradus --rounds 100000 -q
    start_many "$@"
    stopped=$(rank_process 3)
    kill -STOP "$stopped"
    kill -TERM "$(rank_process 0)"
    status=0
    wait $launcher || status=$?
    [ "$status" -eq 75 ] || { echo "status $status"; cat err; return 1; }
    grep -q "gradus: interrupted while waiting for other processes" err
    grep -q "gradus: the last checkpoint is in 'many.model.checkpoint'. To resume:" err
    [ "$(grep -c "^  mpirun -n 4 gradus train .* --resume$" err)" -eq 1 ]
    [ -s many.model.checkpoint ]
    wait_until is_gone "$stopped"
}

@test "the error of one rank ends all, with its message" {
    need openmpi
    cat > each.sh <<'SCRIPT'
file=train.gradus
[ "$OMPI_COMM_WORLD_RANK" -ne 1 ] || file=missing.gradus
exec "$GRADUS" train --method regression --train $file --rounds 5 --distributed mpi -o many.model
SCRIPT
    status=0
    timeout 60 mpirun.openmpi --oversubscribe --allow-run-as-root -n 3 sh each.sh > out 2> err || status=$?
    [ "$status" -eq 1 ] || { echo "status $status"; cat err; return 1; }
    grep -q "gradus: rank 1 of 3: gradus: cannot open 'missing.gradus'" err
    [ ! -e many.model ]
}

@test "what cannot be distributed is refused once" {
    need openmpi
    status=0
    openmpi 3 train --method ranksvm --train train.gradus --distributed mpi -o many.model || status=$?
    [ "$status" -eq 2 ]
    grep -q "gradus: 'ranksvm' with the learner 'sgd' cannot be trained on several processes" err
    [ "$(grep -c "cannot be trained" err)" -eq 1 ]
    refuses 2 "no launcher of MPI has started this process" env -u OMPI_COMM_WORLD_SIZE -u PMIX_RANK -u PMI_RANK \
        -u PMI_FD "$GRADUS" train --distributed mpi --train train.gradus -o many.model
    refuses 2 "--distributed takes mpi, openmpi or mpich, not 'x'" gradus train --distributed x --train train.gradus \
        -o many.model
}

# once LAUNCHER MESSAGE WORDS...: three ranks fail with status 2 and one message
once() {
    local start=$1 message=$2 status=0
    shift 2
    $start 3 "$@" || status=$?
    [ "$status" -eq 2 ] || { echo "status $status"; cat err; return 1; }
    [ "$(grep -c "^gradus: " err)" -eq 1 ] && [ "$(grep -cF -- "$message" err)" -eq 1 ] || { cat err; return 1; }
}

@test "a wrong command line is reported once" {
    need openmpi mpich
    for start in openmpi mpich; do
        once $start "unknown option '--bogus'" train --distributed mpi --bogus
        once $start "'rounds' " train --rounds x --distributed=mpi --train train.gradus -o many.model
        once $start "--distributed takes mpi, openmpi or mpich, not 'x'" train --distributed x --train train.gradus \
            -o many.model
        once $start "--device takes cpu, cuda or auto, not 'x'" train --distributed mpi --device x \
            --train train.gradus -o many.model
        once $start "--calibration is not for --distributed" eval --distributed mpi --calibration train.gradus x.model
        # the launcher ends all ranks when the first one fails, which may not be the one that prints
        printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || sleep 1\nexec "%s" "$@"\n' "$GRADUS" > late
        chmod +x late
        GRADUS=./late once $start "unknown option '--bogus'" train --distributed mpi --bogus
    done
    # every rank ends with status 2; a single process is never silent, nor one of several without --distributed
    for rank in 0 1; do
        status=0
        PMI_RANK=$rank gradus train --distributed mpi --bogus > out 2> err || status=$?
        [ "$status" -eq 2 ]
        [ "$(wc -l < err)" -eq $((1 - rank)) ]
    done
    PMI_RANK=1 refuses 2 "unknown option '--bogus'" gradus train --bogus
    PMI_RANK=1 refuses 2 "gradus train needs data" gradus train -o --distributed
}

@test "a launcher of another implementation is refused" {
    need openmpi mpich
    ! openmpi 2 train --distributed mpich --train train.gradus --rounds 2 -o other.model || false
    [[ $(cat err) == *"processes that do not find each other"*"use --distributed mpi"* ]]
    [ ! -e other.model ]
    ! mpich 2 train --distributed openmpi --train train.gradus --rounds 2 -o other.model || false
    [[ $(cat err) == *"processes that do not find each other"* ]]
    [ ! -e other.model ]
}

@test "srun gives the bytes of one process" {
    need openmpi mpich
    nm "$GRADUS" 2> /dev/null | grep -q -E "__(asan|tsan|gcov)_" && skip "an instrumented program"
    status=0
    "$SOURCE/tests/soak/slurm_ranks.sh" "$GRADUS" > slurm.log 2>&1 || status=$?
    [ "$status" -ne 77 ] || skip "Slurm does not start here"
    [ "$status" -eq 0 ] || { cat slurm.log; return 1; }
    [ "$(grep -c "the same bytes" slurm.log)" -eq 2 ]
}

@test "paused ranks, one of them killed, in network namespaces if possible" {
    need openmpi
    timeout 110 "$SOURCE/tests/soak/lost_ranks.sh" -n 1 -s 4 "$GRADUS" > ranks.log 2>&1 || { cat ranks.log; return 1; }
    echo "# $(grep "^lost_ranks: seed" ranks.log)" >&3 # which network it was
    grep -q "then same" ranks.log
}
