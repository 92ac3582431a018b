#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/cross-check.sh
#
# Builds gradus for 64-bit ARM with Debian's cross compiler and runs the unit tests in an emulator
# (qemu). The ARM packages of zlib, zstd and cmocka are unpacked into build/cross/sysroot; on
# this machine only the compiler and the emulator are installed (with sudo if necessary). Warnings are
# shown and do not stop the build. The tests of the command are left out: they run it directly, without
# the emulator.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

no_arguments "${1-}"
need_packages "${build_packages[@]}" bats shellcheck gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
folder=$root/build/cross
sysroot=$folder/sysroot
triple=aarch64-linux-gnu
packages=(zlib1g zlib1g-dev libzstd1 libzstd-dev libcmocka0 libcmocka-dev)

# apt with separate package lists for ARM, so that neither root nor a new architecture is needed.
arm_apt_get() {
    apt-get -q -o Dir::State="$folder/apt" -o Dir::Cache="$folder/apt" \
        -o Dir::State::status=/dev/null -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o pkgCacheGen::Essential=none "$@"
}

fetch_packages() {
    [ ! -f "$sysroot/made" ] || return 0
    say "fetching for ARM: ${packages[*]}"
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/debs" "$sysroot"
    arm_apt_get update
    (cd "$folder/debs" && arm_apt_get download "${packages[@]}")
    for deb in "$folder"/debs/*.deb; do
        dpkg-deb -x "$deb" "$sysroot"
    done
    touch "$sysroot/made"
}

write_toolchain() {
    cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER $triple-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/$triple
  -E LD_LIBRARY_PATH=$sysroot/usr/lib/$triple)
set(CMAKE_LIBRARY_ARCHITECTURE $triple)
set(CMAKE_FIND_ROOT_PATH $sysroot/usr)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} $sysroot/usr/lib/$triple/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $sysroot)
END
}

fetch_packages
write_toolchain
say "building for $triple in $folder/build"
cmake -S "$root" -B "$folder/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" \
    -DGRADUS_WERROR=OFF >"$folder/configure.log" ||
    die "cannot configure: see $folder/configure.log"
cmake --build "$folder/build" -- --quiet
file=$("$triple-readelf" -h "$folder/build/gradus" | sed -n 's/ *Machine: *//p')
say "built for $file; testing in the emulator"
ctest --test-dir "$folder/build" --output-on-failure -j "$(nproc)" --timeout 600 -E '^(cli|lint|web)_'
