#!/usr/bin/env bash
# Installs the servers of other people that the tests start, into the folder named by the first argument: MCP
# servers and a language server from npm, and in a virtual environment of its own one from PyPI that needs an older mcp package.
# The second argument is the uv to use.
set -euo pipefail
folder=$1
uv=$2

mkdir -p "$folder"
if command -v npm >/dev/null; then
  npm install --prefix "$folder/npm" --no-audit --no-fund --silent \
    @modelcontextprotocol/server-everything@2026.8.31 \
    @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/server-memory@2026.8.31 \
    @modelcontextprotocol/server-sequential-thinking@2026.8.31 \
    typescript@7.0.2
else
  echo "There is no npm, so the tests skip the servers that come from there." >&2
fi
"$uv" venv --quiet --clear "$folder/python"
"$uv" pip install --quiet --python "$folder/python/bin/python" 'mcp<2' 'mcp-server-everything-wrong==0.2.1'
