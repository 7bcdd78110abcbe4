#!/usr/bin/env bash
# The Python clients of OpenAI, Anthropic, TypeSafe and LangChain before the proxy. Makes a Python environment of its own at the first run (Python 3.9 or
# later, and PyPI); the versions are pinned.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
packages='openai==3.57.0 anthropic==2.14.0 typesafe-sdk==0.7.5 langchain-openai==1.7.4'
venv=$PWD/node_modules/.cache/python-clients

if [ "$(cat "$venv/pins" 2>/dev/null)" != "$packages" ]; then
  "${PYTHON:-python3}" -m venv "$venv"
  # Unquoted: several packages.
  "$venv/bin/pip" install --quiet $packages
  echo "$packages" >"$venv/pins"
fi
TEST_PYTHON_CLIENTS=$venv/bin/python npx vitest run packages/server/test/python-clients.test.ts packages/server/test/decision-clients.test.ts
