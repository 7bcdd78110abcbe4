/** `/v1/openapi.json`: OpenAPI 3.1 from the very definitions that serve the routes (contract 12). */
import { apiVersion } from "@limbeck/core/events/Event"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import { defaultBrand, versionHeader } from "./Brand.ts"

const transport = {
  no_response: "The outcome of a write is unknown: retry a GET; retry a creating POST only with its key and bytes.",
  service_envelope: "Branch on error.code, never on the message.",
  retries: "Retry 429 and 5xx with backoff and jitter; keep the Idempotency-Key and the bytes.",
  watch: "A watch that ended is not a failure of the resource: resume polling by id."
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly schema: { readonly default?: string; readonly enum?: ReadonlyArray<string> }
}
type Operation = {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly responses?: Readonly<Record<string, unknown>>
}

/** What a query carries as text is a number to those who read the document. Larger limits are clamped: no maximum. */
const asNumber = ({ name, schema }: Parameter): unknown => {
  if (name === "limit") return { type: "integer", minimum: 1, default: Number(schema.default) }
  return name === "stage" ? { type: "integer", enum: schema.enum?.map(Number) } : schema
}

const withNumbers = (parameter: Parameter) =>
  parameter.in === "query" ? { ...parameter, schema: asNumber(parameter) } : parameter

/** What a request may say of the version that it is written for. */
const versionParameter = (brand: string) => ({
  name: versionHeader(brand),
  in: "header",
  required: false,
  description: "The version of the API that the request is written for.",
  schema: { type: "string", enum: [apiVersion] }
})

/** An upstream may answer any status, and its errors have shapes of their own. */
const upstreams = {
  description: "What the upstream of a byok source says, as it is: under a status above, too",
  content: { "*/*": { schema: {} } }
}

/** Health knows no versions. */
const completed = (path: string, operation: Operation, brand: string) => ({
  ...operation,
  ...(path.startsWith("/v1/proxy/") ? { responses: { ...operation.responses, default: upstreams } } : {}),
  parameters: [
    ...(operation.parameters ?? []).map(withNumbers),
    ...(path.startsWith("/v1/") ? [versionParameter(brand)] : [])
  ]
})

/** Our extensions and headers, by the name of the host. */
const branded = (text: string, brand: string): string =>
  text.replaceAll("x-service-", `x-${brand.toLowerCase()}-`).replaceAll("X-Service-", `X-${brand}-`)

const mapValues = <A, B>(record: Readonly<Record<string, A>>, f: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))

/** What a server serves, and how its document presents it. */
export interface Contract<Groups extends HttpApiGroup.Constraint> {
  readonly api: HttpApi.HttpApi<"service", Groups>
  readonly title: string
  readonly description: string
}

/** `serverUrl` is where this server is reached from outside; `brand` begins the names of our headers and extensions. */
export const make = <Groups extends HttpApiGroup.Constraint>(
  serverUrl: string,
  { api, description, title }: Contract<Groups>,
  brand: string = defaultBrand
): Schema.JsonObject => {
  const document = OpenApi.fromApi(api)
  const complete = {
    ...document,
    info: {
      title,
      version: apiVersion,
      description,
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [],
    paths: mapValues(document.paths as Record<string, Record<string, Operation>>, (operations, path) =>
      mapValues(operations, (operation) => completed(path, operation, brand))
    ),
    components: {
      ...document.components,
      securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } }
    },
    "x-service-transport": transport
  }
  // Through text: what is answered is plain JSON, without undefined members.
  return { ...JSON.parse(branded(JSON.stringify(complete), brand)), servers: [{ url: serverUrl }] }
}
