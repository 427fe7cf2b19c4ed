#!/usr/bin/env bash
# Makes sure that words in pictures can be read in tests; installs Debian's package when it is missing.
set -euo pipefail

if command -v tesseract >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "No tesseract on PATH and no apt-get to install it: its tests are skipped." >&2
  exit 0
fi
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
echo "installing tesseract from the distribution's packages"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends tesseract-ocr
