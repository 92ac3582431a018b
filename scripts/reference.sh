#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings docs/reference/ up to date with the program and the public headers. Tests compare.
#
#   scripts/reference.sh [GRADUS]    GRADUS: the command (default build/release/gradus)
#   scripts/reference.sh -o FOLDER [GRADUS]    write the pages to FOLDER instead
#
#   -h    this help
set -euo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
pages=$source/docs/reference folder=$pages
while getopts ho: option; do
    case $option in
    h) sed -n '3,8s/^# \?//p' "$0" && exit 0 ;;
    o) folder=$(realpath "$OPTARG") ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
gradus=$(realpath "${1:-$source/build/release/gradus}")

replace() { # FILE: what is written, at once
    cat >"$1.new"
    mv "$1.new" "$1"
}

"$gradus" help --markdown commands | replace "$folder/commands.md"
"$source/scripts/c-api.sh" | replace "$folder/c-api.md"
# The other pages are written by hand around a generated part.
for page in metrics conventions; do
    {
        sed '/^<!-- begin generated/q' "$pages/$page.md"
        "$gradus" help --markdown "$page"
        sed -n '/^<!-- end generated/,$p' "$pages/$page.md"
    } | replace "$folder/$page.md"
done
