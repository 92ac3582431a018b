#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/parity.sh [--install]
#
# Compares the results of gradus with those of XGBoost, scikit-learn, scipy, statsmodels, R and WEKA, if
# they are installed (Debian packages); --install installs them. Builds release, then runs each comparison
# in scripts/parity/ (its README.md describes how to write one). The last lines show what was skipped and
# why, what failed, and the counts. Status 1 if a comparison failed. A missing tool is a skip; under
# CI=true a skip that tests/skips.txt does not list is a failure.
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

output=$(mktemp)
trap 'rm -f "$output"' EXIT
rows=()

# Prints the interpreter of a comparison. Python is that of Debian, for its packages.
interpreter() {
    case $1 in
    *.py) echo /usr/bin/python3 ;;
    *.R) echo Rscript ;;
    *.sh) echo bash ;;
    esac
}

# Prints, once each, the lines of a comparison that report what it skipped.
left_out() {
    sed -n 's/^ *[Ss]kipped:* *//p' "$output" | sort -u
    [ "$1" -ne 77 ] || grep -qi '^ *skipped' "$output" || echo "no reason given"
}

compare() {
    local script=$1 name=${1##*/} run status=0 reason start=$SECONDS
    run=$(interpreter "$script")
    say "$name"
    if ! command -v "$run" >/dev/null; then
        echo "skipped: $run is not installed" | tee "$output"
        status=77
    else
        "$run" "$script" "$root/build/release" 2>&1 | tee "$output" || status=$?
    fi
    case $status in
    0) tally_passed 1 && rows+=("compared  $name ($((SECONDS - start)) s)") ;;
    77) ;;
    *) tally_failed "$name (status $status)" ;;
    esac
    while IFS= read -r reason; do
        tally_skipped "$name: $reason" parity
    done < <(left_out "$status")
}

for script in "$root"/scripts/parity/*.py "$root"/scripts/parity/*.R "$root"/scripts/parity/*.sh; do
    [ ! -f "$script" ] || compare "$script"
done

say "parity: $(duration $SECONDS)"
printf '   %s\n' "${rows[@]-nothing was compared}"
tally_end
