#!/usr/bin/env bash
# scripts/parity.sh [--install]
#
# Compares what gradus computes with the tools that others use: XGBoost, scikit-learn, scipy,
# statsmodels, R and WEKA, where they are installed (Debian packages). --install installs them.
# Builds release, then runs each comparison of scripts/parity/ (its README.md says how they are
# written). The last lines say what was compared, what was skipped and what failed.
# Status 1 if a comparison failed; a tool that is missing is not a failure.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

install=
case ${1-} in
--install) install=1 && shift ;;
esac
no_arguments "${1-}"

need_packages "${build_packages[@]}"
if [ -n "$install" ] && ! need_packages "${parity_packages[@]}"; then
    say "some tools could not be installed (no network?); going on with what is there"
fi

say "building release"
build_release

output=$(mktemp)
trap 'rm -f "$output"' EXIT
compared=0 skipped=0 failed=0
rows=()

# Prints the interpreter of a comparison. Python is Debian's, whose packages are the reference.
interpreter() {
    case $1 in
    *.py) echo /usr/bin/python3 ;;
    *.R) echo Rscript ;;
    *.sh) echo bash ;;
    esac
}

# Prints the lines of a comparison that say what it had to leave out.
left_out() {
    grep -i '^ *skipped' "$output" | sed 's/^ *[Ss]kipped:* *//' || true
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
    0) compared=$((compared + 1)) && rows+=("compared  $name ($((SECONDS - start)) s)") ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) && rows+=("failed    $name (status $status)") ;;
    esac
    while IFS= read -r reason; do
        rows+=("skipped   $name: $reason")
    done < <(left_out)
}

for script in "$root"/scripts/parity/*.py "$root"/scripts/parity/*.R "$root"/scripts/parity/*.sh; do
    [ ! -f "$script" ] || compare "$script"
done

say "parity: $compared compared, $skipped skipped, $failed failed, in $(duration $SECONDS)"
printf '   %s\n' "${rows[@]-nothing to compare}"
[ "$failed" -eq 0 ]
