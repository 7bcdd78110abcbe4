"""llama.cpp's server, from a wheel with the compiled server: `llama.py --model FILE --host HOST --port PORT --alias NAME`."""

import argparse
import signal

from xllamacpp import CommonParams, Server

parser = argparse.ArgumentParser()
for name in ("model", "host", "alias"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--port", type=int, required=True)
asked = parser.parse_args()

params = CommonParams()
params.model.path = asked.model
params.model_alias = {asked.alias}
params.hostnames = [asked.host]
params.port = asked.port
params.n_ctx = 2048
server = Server(params)
print("listens at", server.listening_address, flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
