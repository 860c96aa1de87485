#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure that what Verbund is built from is installed.
#   scripts/setup.sh            installs what building and running the program needs (Debian and its derivatives)
#   scripts/setup.sh --tests    and what its tests and benchmarks need
#   scripts/setup.sh --package  and what `make deb` needs
#   ... --check                 only says what is missing; exit code 1 if anything is
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache git pkg-config
  libopenmpi-dev openmpi-bin libsentencepiece-dev
  libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libexpat1-dev libicu-dev libxxhash-dev zlib1g-dev liblzma-dev
  libcurl4-openssl-dev libssl-dev libarchive-dev libcpp-httplib-dev ca-certificates
  libjs-dygraphs
)
stamp="$(dirname "$0")/../build/.setup-elsewhere"
check=false
for level in "$@"; do
  case $level in
    --tests)
      packages+=(libtorch-dev libgtest-dev libgmock-dev python3 python3-yaml sentencepiece xz-utils iproute2 rsync chromium wrk)
      # For some tests; where they would become services, they are left to you, and the tests are skipped.
      [[ -d /run/systemd/system ]] || packages+=(openssh-server slurmctld slurmd slurm-client munge)
      ;;
    --package) packages+=(python3 dpkg-dev file) ;;
    --check) check=true && continue ;;
    *) echo "setup.sh knows --tests, --package and --check, not $level" >&2 && exit 2 ;;
  esac
  stamp+=$level
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  [[ -e $stamp ]] && exit 0
  {
    echo "Verbund's set-up installs Debian packages, and this system has no apt-get."
    echo "Install what these Debian packages hold with your own package manager:"
    printf '  %s\n' "${packages[@]}"
    echo "then say so with:  mkdir -p build && touch build/${stamp##*/}"
  } >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "missing packages: ${missing[*]}" >&2
$check && exit 1

as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo > /dev/null; then
    echo "Installing them needs root or sudo. As root:  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
