#!/usr/bin/env bash
# Makes sure that the browser tests find a Chromium; installs Debian's package when there is none.
set -euo pipefail

if [ -n "${TOOLDECK_CHROMIUM:-}" ] || command -v chromium >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "No chromium on PATH and no apt-get to install it. Install Chromium or Chrome and name it:" \
    "TOOLDECK_CHROMIUM=/path/to/chrome make test" >&2
  exit 1
fi
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
echo "installing Chromium from the distribution's packages"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
