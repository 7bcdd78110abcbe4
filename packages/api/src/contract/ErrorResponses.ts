/** The answers that are errors, each named once in the document, with an example for each of its codes (service-api 7.3). */
import type * as Schema from "effect/Schema"
import { defectClass, type ErrorClass, errorTable } from "./ErrorTable.ts"

interface NamedResponse {
  readonly name: string
  readonly description: string
}

/** By status. The document leaves out a missing status: a test covers this, since the compiler cannot. */
const named: Readonly<Record<string, NamedResponse>> = {
  400: { name: "InvalidRequest", description: "A bad parameter or shape; `param` names it" },
  401: { name: "Unauthenticated", description: "The token is missing, malformed, unknown, expired or disabled" },
  402: { name: "QuotaExceeded", description: "The balance, a spend limit or the plan does not allow it" },
  403: { name: "PermissionDenied", description: "The token lacks the scope, or no token may" },
  404: { name: "NotFound", description: "There is no such id in this workspace and mode" },
  408: { name: "RequestTimeout", description: "The body did not come in time" },
  409: { name: "Conflict", description: "The state of the resource, or of the idempotency key, does not allow it" },
  410: { name: "Gone", description: "It has expired or was removed" },
  413: { name: "TooLarge", description: "The body is larger than is taken" },
  415: { name: "CodingUnsupported", description: "The body has a content coding that is not read" },
  429: { name: "RateLimited", description: "Too many requests; wait `retry_after_seconds`" },
  500: { name: "ServiceFailure", description: "A fault of the service; the request id names it in the log" },
  502: { name: "UpstreamFailure", description: "The source could not be reached, or its model failed" },
  503: { name: "Unavailable", description: "Storage or a catalog does not answer at present; try again later" },
  504: { name: "UpstreamTimeout", description: "The source did not answer in time" }
}

const classes: ReadonlyArray<ErrorClass> = [...Object.values(errorTable), defectClass]

const requestId = "req_01kaf3tn0e5v2b8w6xq4rj7mcd"

const exampleOf = ({ code, status, type }: ErrorClass, { description }: NamedResponse): Schema.JsonObject => ({
  error: {
    type,
    code,
    message: description.split(";")[0] ?? description,
    param: null,
    request_id: requestId,
    ...(status === 429 ? { retry_after_seconds: 0.5 } : {})
  }
})

const examplesOf = (status: number, what: NamedResponse) => {
  const known = classes.filter((row) => row.status === status)
  const shown = known.length > 0 ? known : [{ ...defectClass, status }]
  return Object.fromEntries(shown.map((row) => [row.code, { value: exampleOf(row, what) }]))
}

const retryAfter = { "Retry-After": { $ref: "#/components/headers/Retry-After" } }

const headersOf = (status: number) => ({
  ...(status === 401 ? { "WWW-Authenticate": { $ref: "#/components/headers/WWW-Authenticate" } } : {}),
  ...(status === 429 || status === 503 ? retryAfter : {})
})

/** The components of the used statuses. `headers`: those of every response. */
export const components = (used: ReadonlySet<string>, headers: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(named)
      .filter(([status]) => used.has(status))
      .map(([status, what]) => [
        what.name,
        {
          description: what.description,
          headers: { ...headers, ...headersOf(Number(status)) },
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Error" },
              examples: examplesOf(Number(status), what)
            }
          }
        }
      ])
  )

/** Where the answer of a status stands. */
export const referenceOf = (status: string): Schema.JsonObject | undefined => {
  const what = named[status]
  return what === undefined ? undefined : { $ref: `#/components/responses/${what.name}` }
}
