#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/parity.sh [--install]
#
# Compares the results of gradus with those of XGBoost, scikit-learn, scipy, statsmodels, R and WEKA, if
# they are installed (Debian packages); --install installs them. Builds release, then runs the comparisons
# in scripts/parity/, one per processor at a time (its README.md describes how to write one). The last
# lines show what was skipped and why, what failed, and the counts. Status 1 if a comparison failed. A
# missing tool is a skip; under CI=true a skip that tests/skips.txt does not list is a failure.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/tally.sh"

install=
case ${1-} in
--install) install=1 && shift ;;
esac
no_arguments "${1-}"

need_packages "${build_packages[@]}"
if [ -n "$install" ] && ! need_packages "${parity_packages[@]}"; then
    say "some tools could not be installed (no network?); continuing without them"
fi

say "building release"
build_release

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=()

# Prints the interpreter of a comparison. Python is that of Debian, for its packages.
interpreter() {
    case $1 in
    *.py) echo /usr/bin/python3 ;;
    *.R) echo Rscript ;;
    *.sh) echo bash ;;
    esac
}

# run_one SCRIPT: leaves its output, status and seconds in $work, and prints the output when it ends, not
# mixed with that of others.
run_one() {
    local name=${1##*/} run status=0 start=$SECONDS
    run=$(interpreter "$1")
    if ! command -v "$run" >/dev/null; then
        echo "skipped: $run is not installed" >"$work/$name"
        status=77
    else
        "$run" "$1" "$root/build/release" >"$work/$name" 2>&1 || status=$?
    fi
    echo "$status $((SECONDS - start))" >"$work/$name.status"
    { flock 9 && say "$name" && cat "$work/$name"; } 9>"$work/lock"
}

# Prints, once each, the lines of a comparison that report what it skipped.
left_out() { # OUTPUT STATUS
    sed -n 's/^ *[Ss]kipped:* *//p' "$1" | sort -u
    [ "$2" -ne 77 ] || grep -qi '^ *skipped' "$1" || echo "no reason given"
}

count() { # SCRIPT
    local name=${1##*/} status seconds reason
    read -r status seconds <"$work/$name.status"
    case $status in
    0) tally_passed 1 && rows+=("compared  $name ($seconds s)") ;;
    77) ;;
    *) tally_failed "$name (status $status)" ;;
    esac
    while IFS= read -r reason; do
        tally_skipped "$name: $reason" parity
    done < <(left_out "$work/$name" "$status")
}

shopt -s nullglob
scripts=("$root"/scripts/parity/*.py "$root"/scripts/parity/*.R "$root"/scripts/parity/*.sh)
export root work
export -f interpreter run_one say
printf '%s\0' "${scripts[@]}" | xargs -0 -P "$(nproc)" -I '{}' bash -c 'run_one "{}"'
for script in "${scripts[@]}"; do
    count "$script"
done

say "parity: $(duration $SECONDS)"
printf '   %s\n' "${rows[@]-nothing was compared}"
tally_end
