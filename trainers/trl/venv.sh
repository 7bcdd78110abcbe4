#!/usr/bin/env bash
# Prints the Python that has the trainer and what it needs: some 6 GB in a virtual environment, installed the first time.
set -euo pipefail
cd "$(dirname "$0")"
venv=${TRAINER_VENV:-$PWD/.venv}
pins=$(sha256sum pyproject.toml | cut -d' ' -f1)
if [ "$(cat "$venv/pins" 2>/dev/null)" != "$pins" ]; then
  "${PYTHON:-python3.11}" -m venv "$venv" >&2
  "$venv/bin/pip" install --quiet --editable '.[test]' >&2
  echo "$pins" >"$venv/pins"
fi
echo "$venv/bin/python"
