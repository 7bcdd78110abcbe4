#!/usr/bin/env bash
# Tests of the trainer with the packages that it needs.
set -euo pipefail
cd "$(dirname "$0")"
python=$(./venv.sh)
exec "$python" -m pytest "$@"
