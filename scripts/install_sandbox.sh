#!/usr/bin/env bash
# Makes sure that the strongest sandbox for code can be tested; installs Debian's package when it is missing.
set -euo pipefail

if command -v bwrap >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "No bwrap on PATH and no apt-get to install it: the tests use the weaker sandboxes only." >&2
  exit 0
fi
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
echo "installing bubblewrap from the distribution's packages"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap
