#!/usr/bin/env bash
# Makes the virtual environment named by the first argument from the first Python >= 3.11 found, with uv in it.
set -euo pipefail
venv=$1

usable() {
  command -v "$1" >/dev/null &&
    "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

if [ ! -x "$venv/bin/python" ]; then
  for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
    if usable "$python"; then found=$python; break; fi
  done
  if [ -z "${found:-}" ]; then
    echo "No Python 3.11 or later with the venv module was found. On Debian: apt-get install python3-venv." \
      "Elsewhere name one: make PYTHON=/path/to/python3.12 ..." >&2
    exit 1
  fi
  echo "making $venv with $("$found" --version)"
  "$found" -m venv "$venv"
fi
[ -x "$venv/bin/uv" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
