#!/usr/bin/env bash
# Runs Schemathesis, all checks, against a server of its own. Usage: run.sh [memory|embedded] [seconds]
# Makes a Python environment of its own at the first run (Python 3.10 or later, and PyPI); the version is pinned.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export PATH="$PWD/node_modules/.bin:$PATH"

storage=${1:-memory}
seconds=${2:-300}
port=${PORT:-18480}
environment=node_modules/.cache/schemathesis-4.32.5
token="svc_test_$(printf 'a%.0s' {1..43})"

if [ ! -x "$environment/bin/schemathesis" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet schemathesis==4.32.5
fi

data=$(mktemp -d)
PORT=$port STORAGE=$storage DATA_DIR=$data EXECUTOR=stub RATE_LIMIT=off BOOTSTRAP_TEST_TOKEN=$token LOG_FORMAT=json \
  node --conditions=@limbeck/source packages/cli/src/main.ts serve > "$data/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" || true; echo "server log: $data/server.log"' EXIT

"$environment/bin/schemathesis" --config-file packages/workshop/schemathesis/schemathesis.toml run \
  "http://127.0.0.1:$port/v1/openapi.json" --wait-for-schema 60 --header "Authorization: Bearer $token" \
  --workers 1 --max-time "$seconds" --request-timeout 10 --report json --report-json-path "$data/report.json" "${@:3}"
