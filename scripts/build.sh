#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/build.sh [PRESET]
#
# Installs the packages needed (Debian; with sudo if necessary), configures and builds. PRESET is one of
# CMakePresets.json; default: release, which produces build/release/gradus, and libgradus and
# libgradus-experiments (.a, .so).
# To install them afterwards: cmake --install build/release
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1-} in
-*) no_arguments "$1" ;;
esac
no_arguments "${2-}"
preset=${1:-release}

case $preset in
release) need_packages "${build_packages[@]}" ;;
clang) need_packages "${test_packages[@]}" clang ;;
fuzz) need_packages "${test_packages[@]}" "${fuzz_packages[@]}" ;;
*) need_packages "${test_packages[@]}" ;;
esac

say "building $preset in $root/build/$preset"
if [ "$preset" = release ]; then
    build_release
else
    configure "$preset"
    build "$preset"
fi
say "built: $root/build/$preset/gradus"
