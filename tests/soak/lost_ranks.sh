#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/soak/lost_ranks.sh [-n KILLS] [-s SEED] [GRADUS]
#
# Distributed training under bad conditions; GRADUS: the command (default build/release/gradus). Each of
# KILLS times (default 20), drawn from the seed: four ranks of Open MPI train, are paused at random by
# SIGSTOP and SIGCONT, and one of them is killed after a round; then three ranks resume, and the model must
# have the bytes of a single process. At most the running round may be lost: the checkpoint has the rounds
# that were shown before the kill, but for the last. A training that ends before the kill is tried again with
# an earlier one. As root, the four ranks are in four network namespaces, connected by TCP alone; elsewhere
# they use TCP on one machine, without shared memory. If the build has the plug-in for tests (tests/delayed),
# it is used: messages are delayed and divided at random, by the same seed. Prints the seed, where the ranks
# run, one line per case and a summary; status 1 if a model differs, more than a round is lost, a process
# hangs or none was killed, 77 if Open MPI is not installed.
set -uo pipefail

kills=20
seed=$(($(date +%s) % 1000000))
while getopts n:s:h option; do
    case $option in
    n) kills=$OPTARG ;;
    s) seed=$OPTARG ;;
    h) sed -n '3,16s/^# \?//p' "$0" && exit 0 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
gradus=$(realpath "${1:-$(dirname "$0")/../../build/release/gradus}")
if ! command -v mpirun.openmpi >/dev/null || [ ! -e "$(dirname "$gradus")/libgradus-mpi-openmpi.so" ]; then
    echo "lost_ranks: Open MPI or the plug-in for it is not there"
    exit 77
fi
folder=$(mktemp -d)
spaces=()
net=77.$((seed % 250))

leave() {
    local space
    for space in "${spaces[@]}"; do
        ip netns del "$space"
    done
    [ ${#spaces[@]} -eq 0 ] || ip link del "grbr$$"
    rm -rf "$folder"
}
trap leave EXIT

# Connects four namespaces by a bridge. The agent runs a command in the namespace of an address, in place of
# ssh; host names differ, or Open MPI would take the ranks for neighbours on one machine.
make_network() {
    local i
    ip link add "grbr$$" type bridge 2>/dev/null || return 1
    ip addr add "10.$net.254/24" dev "grbr$$" && ip link set "grbr$$" up || return 1
    for i in 1 2 3 4; do
        ip netns add "gr$$-$i" || return 1
        spaces+=("gr$$-$i")
        ip link add "grv$$-$i" type veth peer name eth0 netns "gr$$-$i" || return 1
        ip link set "grv$$-$i" master "grbr$$" up
        ip -n "gr$$-$i" addr add "10.$net.$i/24" dev eth0
        ip -n "gr$$-$i" link set eth0 up
        ip -n "gr$$-$i" link set lo up
    done
    cat >"$folder/agent" <<AGENT
#!/bin/sh
host=\$1
shift
exec ip netns exec "gr$$-\${host##*.}" unshare --uts sh -c "hostname rank-\${host##*.}; \$*"
AGENT
    chmod +x "$folder/agent"
}

launch=(mpirun.openmpi --oversubscribe --allow-run-as-root)
if [ "$(id -u)" -eq 0 ] && make_network; then
    where="four network namespaces, TCP"
    hosts="10.$net.1,10.$net.2,10.$net.3,10.$net.4"
    # shellcheck disable=SC2054 # the comma is Open MPI's
    launch=(mpirun.openmpi --allow-run-as-root --host "$hosts" --mca plm rsh --mca plm_rsh_agent "$folder/agent" --mca pml ob1 --mca btl tcp,self
        --mca btl_tcp_if_include "10.$net.0/24" --mca oob_tcp_if_include "10.$net.0/24")
else
    where="one machine, TCP without shared memory"
    # shellcheck disable=SC2054 # the comma is Open MPI's
    launch+=(--mca pml ob1 --mca btl tcp,self -x GRADUS_MPI_SHARED=0)
fi

# draw N: a number below N, from the seed and the calls so far
state=$seed
draw() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1))
}

# rank_process RANK: the process of a rank of this script's training
rank_process() {
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" = "$gradus" ] && grep -qz "^$folder/many.model\$" "$process/cmdline" &&
            grep -qz "^OMPI_COMM_WORLD_RANK=$1\$" "$process/environ" && basename "$process"
    done 2>/dev/null
}

rounds_done() {
    grep -c '"event": *"round"' "$folder/out"
}

# pause_some: stops a random rank for up to a fifth of a second
pause_some() {
    local process
    draw 4
    process=$(rank_process "$drawn")
    [ -n "$process" ] || return 0
    kill -STOP "$process" 2>/dev/null
    draw 20
    sleep "0.$(printf %02d "$drawn")"
    kill -CONT "$process" 2>/dev/null
}

delayed=$(dirname "$gradus")/tests/delayed/libgradus-mpi-openmpi.so
if [ -e "$delayed" ]; then
    mkdir "$folder/bin"
    cp "$gradus" "$delayed" "$folder/bin/"
    gradus=$folder/bin/gradus
    where="$where, messages delayed and divided"
    launch+=(-x "GRADUS_MPI_SEED=$seed")
fi
cd "$folder" || exit 1
"$gradus" synth web --queries 40 --seed "$seed" -o train.gradus -q || exit 1
found=0
echo "lost_ranks: seed $seed, $kills kills, $where"

# kill_one: trains on four ranks and kills rank $killed after round $after. Sets done_before (rounds shown before the
# kill), status and hit (whether the kill ended the training).
kill_one() {
    local process
    rm -f many.model*
    : >out
    timeout 120 "${launch[@]}" -n 4 "$gradus" "${what[@]}" --json --distributed mpi --checkpoint-every 1 \
        -o "$folder/many.model" >out 2>err &
    launcher=$!
    while kill -0 $launcher 2>/dev/null && [ "$(rounds_done)" -lt "$after" ]; do
        pause_some
    done
    process=$(rank_process "$killed")
    done_before=$(rounds_done)
    hit=no
    [ -z "$process" ] || { kill -9 "$process" && hit=yes; }
    wait $launcher
    status=$?
    [ "$status" -ne 0 ] || hit=no
}

for ((k = 1; k <= kills; k++)); do
    draw 3
    method=$(printf 'lambdamart\nmcrank\npropodds\n' | sed -n "$((drawn + 1))p")
    what=(train --method "$method" --train train.gradus --rounds 60 --row-fraction 0.8 --seed "$k")
    "$gradus" "${what[@]}" -q -o one.model >one.out || exit 1
    draw 25
    after=$((drawn + 1))
    draw 4
    killed=$drawn
    kill_one
    for ((tries = 1; tries < 4 && status != 124; tries++)); do
        [ "$hit" = no ] || break
        echo "$k: the training ended before the kill after round $after; tried again"
        after=$(((after + 1) / 2))
        kill_one
    done
    saved=$("$gradus" show many.model.checkpoint --json 2>/dev/null | jq '.rounds_done // .rounds // 0' 2>/dev/null)
    timeout 120 "${launch[@]}" -n 3 "$gradus" "${what[@]}" -q --distributed mpi --checkpoint-every 1 --resume \
        -o "$folder/many.model" >out 2>resume.err
    resumed=$?
    verdict=same
    cmp -s one.model many.model || verdict=DIFFERENT
    [ "${saved:-0}" -ge $((done_before - 1)) ] || verdict="LOST MORE THAN A ROUND"
    [ "$resumed" -eq 0 ] || verdict="FAILS ($(tail -n 1 resume.err))"
    [ "$hit" = yes ] || verdict="NOT KILLED ($(tail -n 1 err))"
    [ "$status" -ne 124 ] || verdict="HANGS ($(tail -n 1 err))"
    [ "$verdict" = same ] || found=$((found + 1))
    echo "$k: $method, rank $killed after round $after (done $done_before, saved ${saved:-none}): status $status, then $verdict"
done
echo "lost_ranks: $found of $kills cases failed"
[ "$found" -eq 0 ]
