#!/usr/bin/env bash
# The tests of the Ray executor on a real cluster of one processor on this machine. Ray is kept in a virtual environment for the next time.
set -euo pipefail
cd "$(dirname "$0")"
venv=${RAY_VENV:-$PWD/.venv}
version=2.60.0
if [ "$(cat "$venv/ray-version" 2>/dev/null)" != "$version" ]; then
  "${PYTHON:-python3.11}" -m venv "$venv"
  "$venv/bin/pip" install --quiet "ray[default]==$version"
  echo "$version" >"$venv/ray-version"
fi
port=${RAY_PORT:-8265}
folder=$(mktemp -d /tmp/ray-check-XXXXXX)
# In the foreground of a process of its own, so that only this cluster is ended.
"$venv/bin/ray" start --head --block --num-cpus=1 --port=0 --dashboard-port="$port" --temp-dir="$folder" \
  --disable-usage-stats >"$folder/log" 2>&1 &
cluster=$!
trap 'kill "$cluster"; wait "$cluster" || true; rm -rf "$folder"' EXIT
for _ in $(seq 120); do
  if curl --silent --fail "http://127.0.0.1:$port/api/version" >/dev/null; then break; fi
  kill -0 "$cluster" || { cat "$folder/log"; exit 1; }
  sleep 1
done
cd ../../../..
TEST_RAY_ADDRESS="http://127.0.0.1:$port" npx vitest run --project executors test/ray
