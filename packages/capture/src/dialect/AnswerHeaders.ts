/** The headers of an upstream's answer that stay true when its body is written anew. */
import type { UpstreamResponse } from "../upstream/Upstream.ts"

/** Headers that tell of the upstream's own bytes. */
const ofBytes = [
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "content-type",
  "etag",
  "content-md5",
  "digest"
]

export const forward = ({ headers }: UpstreamResponse): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofBytes.includes(name)))
