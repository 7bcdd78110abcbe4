/** Names what went wrong with an outbound request, in the words of contract 8; no addresses, no internals. */
import { errors } from "undici"
import { EgressFailure } from "./GuardedConnect.ts"

const names: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/^(ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_\w*_?TIMEOUT)$/, "timeout"],
  [/^ECONNREFUSED$/, "connection_refused"],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection_reset"],
  [/^UND_ERR_(HEADERS_OVERFLOW|RES_EXCEEDED_MAX_SIZE)$/, "invalid_response"],
  [/^(EPROTO|ERR_SSL_\w+)$/, "tls_failure"],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, "host_unreachable"],
  [/^UND_ERR_INVALID_ARG$/, "invalid_request"]
]

/** undici gives the same code to a broken connection and to an answer that breaks the protocol. */
const protocolBreaches = ["bad response", "bad upgrade"]

const isParsing = (error: Error) =>
  error instanceof errors.HTTPParserError || error instanceof errors.ResponseContentLengthMismatchError

/** A body that ends early means a broken connection; the same error within the headers means a broken header. */
const endsEarly = (error: Error) =>
  error instanceof errors.ResponseContentLengthMismatchError || error.message.includes("EOF")

/** Whether the request would have come back to this server. */
export const isOwnServer = (error: unknown): boolean => error instanceof EgressFailure && error.reason === "own_server"

/** `begun` says whether the headers of an answer were read. */
export const failureName = (error: unknown, begun: boolean): string => {
  if (error instanceof EgressFailure) return error.reason === "own_server" ? "blocked_address" : error.reason
  if (!(error instanceof Error)) return "request_failed"
  if (isParsing(error)) return begun && endsEarly(error) ? "connection_reset" : "invalid_response"
  if (protocolBreaches.includes(error.message)) return "invalid_response"
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return names.find(([pattern]) => pattern.test(code))?.[1] ?? "request_failed"
}
