#!/usr/bin/env bash
# Tests of the trainer with the packages that it needs, in a virtual environment of its own: some 6 GB, kept for the next time.
set -euo pipefail
cd "$(dirname "$0")"
venv=${TRAINER_VENV:-$PWD/.venv}
pins=$(sha256sum pyproject.toml | cut -d' ' -f1)
if [ "$(cat "$venv/pins" 2>/dev/null)" != "$pins" ]; then
  "${PYTHON:-python3.11}" -m venv "$venv"
  "$venv/bin/pip" install --quiet --editable '.[test]'
  echo "$pins" >"$venv/pins"
fi
exec "$venv/bin/python" -m pytest "$@"
