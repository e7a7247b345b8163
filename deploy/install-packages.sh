#!/usr/bin/env bash
# Installs the packages of the named sections of packages.txt that are missing; asks for root only then.
#   deploy/install-packages.sh SECTION...
set -euo pipefail

list=$(dirname "${BASH_SOURCE[0]}")/packages.txt

# Prints the entries of one section.
entries() {
    awk -v section="[$1]" '/^\[/ { inside = $1 == section; next } inside && NF && !/^#/ { print $1 }' "$list"
}

installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
for section in "$@"; do
    for entry in $(entries "$section"); do
        package=${entry%%=*} command=${entry#*=}
        if [ "$command" != "$entry" ] && command -v "$command" >/dev/null; then continue; fi
        installed "$package" || missing+=("$package")
    done
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "These packages are missing and there is no apt-get to install them: ${missing[*]}" >&2
    exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "As root, install: ${missing[*]}" >&2; exit 1; }
    sudo=sudo
fi

echo "Installing: ${missing[*]}" >&2
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
