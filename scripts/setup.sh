#!/usr/bin/env bash
# Makes sure that everything Verbund is built from is installed.
#   scripts/setup.sh            installs what is missing (Debian and its derivatives)
#   scripts/setup.sh --check    only says what is missing; exit code 1 if anything is
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache git pkg-config python3
  libtorch-dev libopenmpi-dev openmpi-bin
  libsentencepiece-dev sentencepiece
  libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libicu-dev libxxhash-dev zlib1g-dev liblzma-dev xz-utils
  libcurl4-openssl-dev libssl-dev libarchive-dev
  libgtest-dev libgmock-dev iproute2
)

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  stamp="$(dirname "$0")/../build/.setup-elsewhere"
  [[ -e $stamp ]] && exit 0
  {
    echo "Verbund's set-up installs Debian packages, and this system has no apt-get."
    echo "Install what these Debian packages hold with your own package manager:"
    printf '  %s\n' "${packages[@]}"
    echo "then say so with:  mkdir -p build && touch build/.setup-elsewhere"
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
[[ ${1:-} == --check ]] && exit 1

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
