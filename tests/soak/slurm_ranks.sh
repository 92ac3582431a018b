#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/soak/slurm_ranks.sh [GRADUS]
#
# Distributed training under Slurm: starts munged, slurmctld and slurmd on this machine, with settings of
# their own in a temporary folder, as root, and compares the models of 'srun -n 4' (PMIx with the plug-in
# for Open MPI, PMI-2 with that for MPICH) with that of a single process. GRADUS: the command (default
# build/release/gradus). Status 1 if a model differs, 77 with the reason if Slurm does not start here.
set -uo pipefail

case ${1:-} in -h) sed -n '3,9s/^# \?//p' "$0" && exit 0 ;; esac
gradus=$(realpath "${1:-$(dirname "$0")/../../build/release/gradus}")
skip() {
    echo "skipped: $1"
    [ $# -lt 2 ] || tail -n 5 "$2"
    exit 77
}
[ "$(id -u)" -eq 0 ] || skip "Slurm's services need root here"
for program in munged slurmctld slurmd srun; do
    command -v $program >/dev/null || skip "$program is not installed (Debian: slurm-wlm)"
done
folder=$(mktemp -d)
started=()
leave() {
    local process
    scancel --signal=KILL --user=root 2>/dev/null
    for process in "${started[@]}"; do
        kill "$process" 2>/dev/null
    done
    for _ in $(seq 50); do # slurmd waits for its jobs
        kill -0 "${started[@]}" 2>/dev/null || break
        sleep 0.1
    done
    for process in "${started[@]}"; do
        kill -9 "$process" 2>/dev/null
    done
    rm -rf "$folder"
}
trap leave EXIT
# free_port: a port that nobody listens on
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
chmod 755 "$folder"
mkdir -m 700 "$folder/munge" && mkdir "$folder/state" "$folder/spool"
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 2>/dev/null && chmod 400 "$folder/munge/key"
# the folder of a socket must be open to all
mkdir -m 755 "$folder/socket"
munged --foreground --force --key-file "$folder/munge/key" --socket "$folder/socket/munge" \
    --pid-file "$folder/munge/pid" --log-file "$folder/munge/log" --seed-file "$folder/munge/seed" \
    >"$folder/munged.log" 2>&1 &
started+=($!)
host=$(hostname -s)
processors=$(nproc)
cat >"$folder/slurm.conf" <<CONF
ClusterName=gradus
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthInfo=socket=$folder/socket/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$((processors > 4 ? processors : 4)) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE
CONF
export SLURM_CONF=$folder/slurm.conf
for _ in $(seq 50); do
    [ ! -S "$folder/socket/munge" ] || break
    sleep 0.1
done
[ -S "$folder/socket/munge" ] || skip "munged does not start" "$folder/munged.log"
slurmctld -D >"$folder/slurmctld.log" 2>&1 &
started+=($!)
slurmd -D -N "$host" >"$folder/slurmd.log" 2>&1 &
started+=($!)
ready=
for _ in $(seq 100); do
    ready=$(sinfo -h -o %T 2>/dev/null)
    [ "$ready" != idle ] || break
    sleep 0.2
done
[ "$ready" = idle ] || skip "Slurm does not start: its node is '${ready:-unknown}'" "$folder/slurmd.log"

cd "$folder" || exit 1
"$gradus" synth web --queries 30 -o train.gradus -q || exit 1
found=0
what=(train --method lambdamart --train train.gradus --rounds 6 --threads 1 -q)
"$gradus" "${what[@]}" -o one.model >one.out || exit 1
for way in pmix:openmpi pmi2:mpich; do
    [ -e "$(dirname "$gradus")/libgradus-mpi-${way#*:}.so" ] || continue
    rm -f many.model
    timeout -k 5 60 srun --mpi="${way%:*}" -n 4 "$gradus" "${what[@]}" --distributed mpi -o many.model >out 2>err
    status=$?
    verdict="the same bytes"
    cmp -s one.model many.model || { verdict="DIFFERENT (status $status): $(tail -n 3 err)" && found=1; }
    echo "srun --mpi=${way%:*} -n 4: $verdict"
done
exit $found
