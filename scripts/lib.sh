# SPDX-License-Identifier: Apache-2.0
# Shell functions shared by the scripts. Source this file; it only defines things.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The packages that each purpose needs on a bare Debian 12. gcc only recommends libc6-dev; libjs-chart.js
# draws the charts of gradus report.
# shellcheck disable=SC2034 # used by the scripts that source this file
{
    build_packages=(gcc libc6-dev cmake ninja-build pkg-config zlib1g-dev libzstd-dev
        libjs-chart.js libmicrohttpd-dev)
    test_packages=("${build_packages[@]}" libcmocka-dev bats jq groff-base shellcheck
        clang-format curl openssl prometheus openmpi-bin libopenmpi-dev mpich libmpich-dev iproute2
        slurmctld slurmd slurm-client munge)
    # the Python package and its extras; python_test_packages: what only its tests use
    python_packages=(python3-dev python3-numpy python3-scipy python3-pandas python3-sklearn
        python3-matplotlib python3-typing-extensions python3-setuptools python3-wheel python3-pip
        python3-venv)
    python_test_packages=("${python_packages[@]}" python3-pytest python3-optuna
        python3-mpi4py python3-xgboost python3-statsmodels mypy gunicorn python3-nbconvert python3-ipykernel)
    docs_packages=("${python_packages[@]}" python3-sphinx furo python3-numpydoc python3-nbsphinx
        python3-sphinx-copybutton python3-nbconvert python3-ipykernel pandoc)
    web_packages=(chromium nodejs)
    command -v npm >/dev/null || web_packages+=(npm) # node from elsewhere includes npm
    tidy_packages=(clang-tidy)
    fuzz_packages=(clang libclang-rt-14-dev)
    parity_packages=(python3-xgboost python3-sklearn python3-statsmodels python3-scipy python3-cvxopt
        r-base-core r-cran-mass r-cran-ordinal weka default-jre-headless g++
        gunicorn wrk hey) # the last three: for bench/serve
}

say() {
    printf '== %s\n' "$*"
}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The comment at the head of a script is its help.
print_help() {
    sed -n '3,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
}

# Handles -h and --help, and refuses any other argument.
no_arguments() {
    case ${1-} in
    '') ;;
    -h | --help) print_help && exit 0 ;;
    *) printf "%s: unknown argument '%s' (-h for help)\n" "${0##*/}" "$1" >&2 && exit 2 ;;
    esac
}

# Runs a command as root, with sudo if necessary.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# Prints which of the named packages are not installed.
missing_packages() {
    local name
    for name; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
            printf '%s\n' "$name"
    done
}

# True if apt has a candidate version of each package.
packages_known() {
    local name
    for name; do
        [[ $(apt-cache policy "$name" 2>/dev/null) == *Candidate:\ [!\(]* ]] || return 1
    done
}

run_apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@"
}

install_packages() {
    run_apt_get install --no-install-recommends "$@"
}

# Installs the Debian packages that are missing; if none are, it needs neither network nor root. Without
# apt it only names the packages and continues.
need_packages() {
    local missing

    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "no apt here; make sure that the equivalents of these packages are installed: $*"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0

    say "installing: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        say "cannot install: not root, and no sudo; as root: apt-get install ${missing[*]}"
        return 1
    fi
    if packages_known "${missing[@]}" && install_packages "${missing[@]}"; then
        return 0
    fi
    # The package lists may be empty or outdated: update them and try again.
    say "updating the package lists"
    if ! run_apt_get update || ! install_packages "${missing[@]}"; then
        say "cannot install: ${missing[*]} (no network?)"
        return 1
    fi
}

# True if the build folder of a preset was configured for this copy of the tree at this path.
configured_here() {
    grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$root/build/$1/CMakeCache.txt"
}

# configure PRESET [CMAKE ARGUMENT...]: shows what CMake found only if it fails.
configure() {
    local preset=$1 log fresh=(--fresh)
    shift
    configured_here "$preset" && fresh=()
    log=$(cd "$root" && cmake --preset "$preset" "${fresh[@]}" "$@" 2>&1) || {
        printf '%s\n' "$log" >&2
        die "cannot configure '$preset'"
    }
}

# build PRESET [TARGET]: on a terminal ninja shows one line of progress; elsewhere only failures are shown.
build() {
    local how=()
    [ -z "${2-}" ] || how+=(--target "$2")
    [ -t 1 ] || how+=(-- --quiet)
    (cd "$root" && cmake --build --preset "$1" "${how[@]}")
}

# Configures only once, so that the options of an existing build folder are kept, or to add
# release_options.
release_options=()
build_release() {
    if ! configured_here release || [ ! -f "$root/build/release/build.ninja" ]; then
        configure release -DGRADUS_TESTS=OFF "${release_options[@]}"
    elif [ ${#release_options[@]} -gt 0 ]; then
        configure release "${release_options[@]}"
    fi
    build release
}

# Builds the wheel of the Python package from build/release, and prints its path.
build_wheel() {
    local folder=$root/build/release/wheel
    rm -rf "$folder"
    GRADUS_BUILD=$root/build/release /usr/bin/python3 -m pip wheel -q --no-index --no-build-isolation \
        --no-deps -w "$folder" "$root/python" >&2 || return 1
    printf '%s\n' "$folder"/gradus-*.whl
}

# Seconds as 3 min 07 s.
duration() {
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
}

# fuzz_target TARGET SECONDS: runs a built fuzz target from the root of the tree, and prints a one-line
# summary. Status 1 if an input broke something.
fuzz_target() {
    local target=$1 seconds=$2 log=build/fuzz/$1.log program=build/fuzz/tests/fuzz/fuzz_$1 inputs status=0

    mkdir -p "build/fuzz/corpus/$target" build/fuzz/found
    nice -n 19 "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
        -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" \
        "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 || status=1
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $status -eq 0 ]; then
        printf '%s: %s inputs, no findings\n' "$target" "${inputs:-0}"
    else
        printf '%s: %s inputs, BROKEN\n' "$target" "${inputs:-some}"
        tail -n 40 "$log"
    fi
    return $status
}
