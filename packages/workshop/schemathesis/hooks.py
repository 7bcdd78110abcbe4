"""Schemathesis hooks for this API: non-JSON bodies, and rules beyond schemas."""

import re

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance as builtin

# The answer's `param` and message, of requests that fit their schema and are refused all the same. docs/openapi.md has them in words.
BEYOND_SCHEMAS = [
    (r"cursor", r"not a cursor|another list"),
    (r".*", r"^No such "),
    (r"X-Service-Source|config\.source|agent", r"[Tt]here is no default"),
    (r"X-Service-Source", r"has the dialect"),
    (r"questions", r"a list of questions, or a map"),
    (r"artifact", r"not both"),
    (r"expires_at", r"in the past"),
    (r"type|event_type", r"^No event type matches"),
    (r"enabled_events\[\d+\]", r"neither an event type"),
    (r".*(url|endpoint)", r"absolute|https|http URLs|Unicode"),
    (r".*", r"at most 6 decimals"),
    (r"models\[\d+\]", r"named twice"),
    (r"fallback", r"name one$"),
    (r"call_id", r"call_id, external_id, or both"),
    (r"stream", r"not streamed"),
    (r"config\.pattern", r"pattern cannot be used"),
    (r"api_key|config\..*", r"another origin"),
    (r"config\.scale", r"below its max"),
    (r"row\.completion", r"no completion to compare"),
    (r"config\..*", r"kept credential|There is no such field|Expected|together|not both|session token|token's keys"),
]


@schemathesis.check
def accepts_valid_data(ctx, response, case):
    """`positive_data_acceptance`, but for the rules above."""
    if response.status_code == 400 and response.content:
        error = response.json()["error"]
        for param, message in BEYOND_SCHEMAS:
            if re.fullmatch(param, error["param"] or "") and re.search(message, error["message"]):
                return None
    return builtin(ctx, response, case)


def as_bytes(context, value):
    return {"data": value if isinstance(value, bytes) else str(value).encode()}


for media_type in ("application/x-ndjson", "application/gzip"):
    schemathesis.serializer(media_type)(as_bytes)
