#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The libraries have no mutable global state: nothing is in a writable section, except const tables of
# pointers (.data.rel.ro), which the loader writes once. For builds without sanitizers and coverage,
# which add their own state.
# usage: state.sh SOURCE BUILD
set -u
build=$2
for library in libgradus libgradus-experiments; do
    [[ -e $build/$library.a ]] || { echo "state: no $library.a in $build"; exit 1; }
done
found=$(objdump -t "$build"/libgradus{,-experiments}.a | awk '
    / file format / { object = $1 }
    {
        for (i = 2; i < NF; i++)
            if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $i !~ /^\.data\.rel\.ro/ &&
                $(i + 1) !~ /^0+$/)
                print "state: " object " keeps " $NF " in " $i
    }')
[[ -z $found ]] && exit 0
echo "$found"
exit 1
