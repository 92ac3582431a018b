#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/build.sh [--python] [PRESET]
#
# Installs the packages needed (Debian; with sudo if necessary), configures and builds. PRESET is one of
# CMakePresets.json; default: release, which produces build/release/gradus, and libgradus and
# libgradus-experiments (.a, .so).
# To install them afterwards: cmake --install build/release
#
# --python: also builds the Python package for /usr/bin/python3 (Debian's, 3.11 or later) as a wheel in
# build/release/wheel, and prints how to use it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python=
case ${1-} in
--python) python=1 && shift ;;
-*) no_arguments "$1" ;;
esac
no_arguments "${2-}"
preset=${1:-release}
if [ -n "$python" ]; then
    [ "$preset" = release ] || die "--python builds release only, not '$preset'"
    need_packages "${build_packages[@]}" "${python_packages[@]}"
    say "building release and the Python package in $root/build/release"
    release_options=(-DGRADUS_PYTHON=ON)
    build_release
    wheel=$(build_wheel)
    say "built: $root/build/release/gradus"
    say "built: $wheel"
    echo "   to use the package as it is:   export PYTHONPATH=$root/build/release/python"
    echo "   to install it:                 /usr/bin/python3 -m venv --system-site-packages ~/gradus-venv"
    echo "                                  ~/gradus-venv/bin/pip install $wheel"
    exit 0
fi

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
