#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/bare-check.sh [FOLDER [SCRIPT...]]
#
# Runs the scripts on a bare Debian 12, created with debootstrap in FOLDER (default: build/bare) from the
# mirror of this machine's apt. Needs root. The committed tree is copied there, and each SCRIPT is run;
# nothing else is installed before the first. Without SCRIPT:
#   in a fresh root, as root:            demo.sh, test.sh, parity.sh --install, .ci/run
#   in a fresh root, as user with sudo:  demo.sh, test.sh --quick, and demo.sh without network
# A SCRIPT is a path with its arguments, as one word: "scripts/test.sh --quick". Prints the times.
# FOLDER/base is kept for the next run; FOLDER/root can be inspected afterwards, or removed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1-} in
-*) no_arguments "$1" ;;
esac
[ "$(id -u)" -eq 0 ] || die "needs root, to create and enter a chroot"
need_packages debootstrap git
folder=${1:-$root/build/bare}
[ $# -eq 0 ] || shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
times=()

# The mirror and the proxies of this machine, so that apt works inside as it does outside.
host_mirror() {
    # shellcheck disable=SC2016 # apt's variables, not the shell's
    apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk '$2 == "bookworm" && !seen++ { print $1 }'
}

copy_network_settings() {
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    apt-config dump | grep -E '^Acquire::(http|https)::' >"$1/etc/apt/apt.conf.d/90host" || true
    if [ -d /usr/local/share/ca-certificates ] && [ -f /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$1/etc/ssl/certs"
        cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
    fi
}

make_base() {
    [ ! -f "$folder/base/made" ] || return 0
    local mirror
    mirror=$(host_mirror)
    [ -n "$mirror" ] || die "apt on this machine has no mirror of bookworm (apt-get update?)"
    say "debootstrap of bookworm"
    rm -rf --one-file-system "$folder/base"
    debootstrap --variant=minbase bookworm "$folder/base" "$mirror" \
        >"$folder/debootstrap.log" ||
        die "debootstrap failed; see $folder/debootstrap.log"
    touch "$folder/base/made"
}

# Mounts are made in a separate mount namespace, so nothing stays mounted, whatever happens.
# enter [unshare option...] -- COMMAND...
enter() {
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1") && shift
    done
    shift
    # shellcheck disable=SC2016 # expanded inside
    unshare --mount --pid --fork "${options[@]}" bash -c '
        mount --make-rprivate /
        mount -t proc proc "$0/proc"
        mount -t tmpfs tmpfs "$0/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts"
        exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            TERM=dumb ${http_proxy:+http_proxy="$http_proxy"} \
            ${https_proxy:+https_proxy="$https_proxy"} chroot "$0" "$@"' "$folder/root" "$@"
}

fresh_root() {
    say "a fresh root in $folder/root"
    rm -rf --one-file-system "$folder/root"
    cp -a "$folder/base" "$folder/root"
    copy_network_settings "$folder/root"
    mkdir "$folder/root/gradus"
    git -c safe.directory="$root" -C "$root" archive HEAD | tar -x -C "$folder/root/gradus"
}

add_user() {
    enter -- sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends sudo &&
        useradd -m tester && chown -R tester: /gradus &&
        echo "tester ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/tester' >"$folder/user.log" 2>&1 ||
        die "cannot add a user; see $folder/user.log"
}

# attempt WHO SCRIPT [unshare option...]: runs it from a folder outside the tree.
attempt() {
    local who=$1 script=$2 start=$SECONDS status=0 run
    shift 2
    say "$script as $who $*"
    run="cd /tmp && time /gradus/$script"
    if [ "$who" = root ]; then
        enter "$@" -- bash -c "$run" || status=$?
    else
        enter "$@" -- su tester -s /bin/bash -c "$run" || status=$?
    fi
    times+=("$(printf '%-28s as %-7s %s: status %d, %s' "$script" "$who" "$*" "$status" \
        "$(duration $((SECONDS - start)))")")
    [ "$status" -eq 0 ] || finish 1
}

finish() {
    say "on a bare Debian 12:"
    printf '   %s\n' "${times[@]}"
    exit "$1"
}

make_base
fresh_root
if [ $# -gt 0 ]; then
    for script; do
        attempt root "$script"
    done
    finish 0
fi
for script in scripts/demo.sh scripts/test.sh 'scripts/parity.sh --install' .ci/run; do
    attempt root "$script"
done
fresh_root
add_user
attempt tester scripts/demo.sh
attempt tester 'scripts/test.sh --quick'
attempt tester scripts/demo.sh --net
finish 0
