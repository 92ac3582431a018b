#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cuda_check.sh SOURCE
#
# Configures cmake/cuda.cmake with programs in place of nvcc: one that is too old must cost the plug-in only,
# not the build.
set -euo pipefail

source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    printf 'cuda: %s\n' "$*" >&2
    exit 1
}

# fake_nvcc VERSION STATUS: writes an nvcc that fails with this status when it compiles.
fake_nvcc() {
    cat >nvcc <<EOF
#!/bin/sh
[ "\$1" = --version ] && { echo "Cuda compilation tools, release $1, V$1.99"; exit 0; }
echo "\$@" >>'$folder/calls'
echo 'error: identifier "cudaGraphConditionalHandle" is undefined' >&2
exit $2
EOF
    chmod +x nvcc
    : >calls
}

# expect OUTPUT PLUGIN: configures, and compares the lines about nvcc, and whether the plug-in is built.
expect() {
    local found
    cmake -S . -B build -DNVCC="$folder/nvcc" >log 2>&1 || fail "configuring failed: $(cat log)"
    found=$(grep -i nvcc log || true)
    [ "$found" = "$1" ] || fail "printed '$found', not '$1'"
    found=$(grep -o 'plug-in [a-z]*$' log)
    [ "$found" = "plug-in $2" ] || fail "$found, not $2"
}

cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES NONE)
add_custom_target(gradus_command)
include($source/cmake/cuda.cmake)
if(TARGET gradus_cuda)
  message(STATUS "plug-in built")
else()
  message(STATUS "plug-in absent")
endif()
EOF

fake_nvcc 11.8 1
expect '-- nvcc 11.8 cannot build the plug-in for CUDA (needs 12.4 or later); building without it (reason: cuda/probe.log)' \
    absent
grep -q 'cudaGraphConditionalHandle' build/cuda/probe.log || fail "no reason in cuda/probe.log"
grep -q 'arch=compute_90' calls || fail "tried without the architectures of the plug-in: $(cat calls)"

# another toolkit in its place; the answer is then kept
fake_nvcc 13.0 0
expect '' built
[ -s calls ] || fail "nvcc 13.0 was not tried"
fake_nvcc 13.0 1
expect '' built
[ -s calls ] && fail "nvcc 13.0 was tried twice"

printf '#!/bin/sh\nexit 1\n' >nvcc
expect '-- nvcc of unknown version cannot build the plug-in for CUDA (needs 12.4 or later); building without it (reason: cuda/probe.log)' \
    absent
echo "cuda: good"
