/** `/v1/openapi.json`: OpenAPI 3.1 from the very definitions that serve the routes (contract 12). */
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import { defaultBrand, versionHeader, wire } from "./Brand.ts"
import { components, referenceOf } from "./ErrorResponses.ts"
import { bodyExample, type Node } from "./Examples.ts"
import { withFieldDescriptions } from "./FieldDescriptions.ts"
import { flatten } from "./Flatten.ts"
import { withNulls } from "./NullableRequests.ts"

const transport = {
  no_response: "The outcome of a write is unknown: retry a GET; retry a creating POST only with its key and bytes.",
  service_envelope: "Branch on error.code, never on the message.",
  retries: "Retry 429 and 5xx with backoff and jitter; keep the Idempotency-Key and the bytes.",
  watch: "A watch that ended is not a failure of the resource: resume polling by id."
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, f: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value, key)]))

type Parameter = {
  readonly name: string
  readonly in: string
  readonly schema: { readonly default?: string; readonly enum?: ReadonlyArray<string> }
}
type Content = Readonly<Record<string, { readonly schema: Node }>>
type Body = { readonly description?: string; readonly content?: Content }
type Operation = {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

/** The document shows numeric query texts as numbers. The server clamps larger limits, so the schema has no maximum. */
const asNumber = ({ name, schema }: Parameter): unknown => {
  if (name === "limit") return { type: "integer", minimum: 1, default: Number(schema.default) }
  return name === "stage" ? { type: "integer", enum: schema.enum?.map(Number) } : schema
}

const withNumbers = (parameter: Parameter) =>
  parameter.in === "query" ? { ...parameter, schema: asNumber(parameter) } : parameter

/** The header with a request's API version. */
const versionParameter = (brand: string) => ({
  name: versionHeader(brand),
  in: "header",
  required: false,
  description:
    "The version of the API that the answer is to be in; by default the newest, which this document describes.",
  schema: { type: "string", enum: ApiVersions.versions }
})

/** An upstream may answer any status, and its errors have shapes of their own. */
const upstreams = {
  description: "What the upstream of a byok source says, as it is: under a status above, too",
  content: { "*/*": { schema: {} } }
}

const text = { type: "string" } as const

const headerComponents = {
  "Request-Id": {
    required: true,
    description: "Names the request, in our log too; an error's request_id is the same.",
    schema: { ...text, pattern: "^req_[0-9a-hjkmnp-tv-z]{26}$" }
  },
  Version: { required: true, description: "The version of the API that made the answer.", schema: text },
  "Idempotent-Replayed": {
    description: "Present when the answer is the stored one of the first request under the key.",
    schema: { ...text, enum: ["true"] }
  },
  "Retry-After": { description: "Seconds to wait.", schema: { ...text, pattern: "^[0-9]+$" } },
  "WWW-Authenticate": { required: true, description: "How to authenticate.", schema: { ...text, enum: ["Bearer"] } }
}

/** What the head of every answer has. */
const everyHeader = (brand: string) => ({
  [wire.requestId]: { $ref: "#/components/headers/Request-Id" },
  [versionHeader(brand)]: { $ref: "#/components/headers/Version" }
})

const replayed = { [wire.idempotentReplayed]: { $ref: "#/components/headers/Idempotent-Replayed" } }

/** An operation that names nothing finds everything, and one without a body reads none. */
const isPossible = (status: string, { parameters = [], requestBody }: Operation): boolean => {
  if (status === "408" || status === "413" || status === "415") return requestBody !== undefined
  return status !== "404" || requestBody !== undefined || parameters.some((parameter) => parameter.in === "path")
}

const isError = ({ content }: Body): boolean =>
  content?.["application/json"]?.schema.$ref === "#/components/schemas/Error"

/** What a document is made with. */
interface ExampleOptions {
  readonly brand: string
  readonly find: (reference: string) => Node
}

const withExamples = <B extends Body>(body: B, { find }: ExampleOptions): B => ({
  ...body,
  ...(body.content === undefined
    ? {}
    : {
        content: mapValues(body.content, (media, type) => ({
          ...media,
          example: bodyExample(type, media.schema, find)
        }))
      })
})

const keyed = ({ parameters = [] }: Operation): boolean => parameters.some(({ name }) => name === wire.idempotencyKey)

/** The errors by their names, the rest with an example. */
const responsesOf = (operation: Operation, making: ExampleOptions) =>
  Object.fromEntries(
    Object.entries(operation.responses)
      .filter(([status]) => isPossible(status, operation))
      .map(([status, body]) => {
        const reference = isError(body) ? referenceOf(status) : undefined
        const headers = { ...everyHeader(making.brand), ...(status < "300" && keyed(operation) ? replayed : {}) }
        return [status, reference ?? { ...withExamples(body, making), headers }]
      })
  )

const isProxied = (path: string): boolean => path.startsWith("/v1/proxy/")

/** Health knows no versions. */
const completed = (path: string, operation: Operation, making: ExampleOptions) => ({
  ...operation,
  ...(operation.requestBody === undefined ? {} : { requestBody: withExamples(operation.requestBody, making) }),
  responses: { ...responsesOf(operation, making), ...(isProxied(path) ? { default: upstreams } : {}) },
  parameters: [
    ...(operation.parameters ?? []).map(withNumbers),
    ...(path.startsWith("/v1/") ? [versionParameter(making.brand)] : [])
  ]
})

/** Our extensions and headers, by the name of the host. */
const branded = (text: string, brand: string): string =>
  text.replaceAll("x-service-", `x-${brand.toLowerCase()}-`).replaceAll("X-Service-", `X-${brand}-`)

/** What a server serves, and how its document presents it. */
export interface Contract<Groups extends HttpApiGroup.Constraint> {
  readonly api: HttpApi.HttpApi<"service", Groups>
  readonly title: string
  readonly description: string
  /** What no token may do here, in words, also where its route is not shown. */
  readonly humanOnly: ReadonlyArray<string>
}

/** `serverUrl` is the server's public URL; `brand` is the prefix of our header names and extensions. */
export const make = <Groups extends HttpApiGroup.Constraint>(
  serverUrl: string,
  { api, description, humanOnly, title }: Contract<Groups>,
  brand: string = defaultBrand
): Schema.JsonObject => {
  // Of the same shape, and shorter.
  const document = withNulls(flatten(OpenApi.fromApi(api)) as ReturnType<typeof OpenApi.fromApi>)
  const schemas = withFieldDescriptions(document.components.schemas) as Readonly<Record<string, Node>>
  const making: ExampleOptions = {
    brand,
    find: (reference) => schemas[reference.slice(reference.lastIndexOf("/") + 1)] ?? {}
  }
  const paths = document.paths as Record<string, Record<string, Operation>>
  const used = new Set(
    Object.values(paths)
      .flatMap(Object.values)
      .flatMap(({ responses }: Operation) => Object.keys(responses))
  )
  const complete = {
    ...document,
    info: {
      title,
      version: ApiVersions.newest,
      description: [description, ...humanOnly].join("\n\n"),
      contact: { name: "The operator of this server", url: serverUrl },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: serverUrl, description: "This server" }],
    paths: mapValues(paths, (operations, path) =>
      mapValues(operations, (operation) => completed(path, operation, making))
    ),
    components: {
      ...document.components,
      schemas,
      headers: headerComponents,
      responses: components(used, everyHeader(brand)),
      securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } }
    },
    "x-service-human-only": humanOnly,
    "x-service-transport": transport
  }
  // Through text: what is answered is plain JSON, without undefined members.
  return { ...JSON.parse(branded(JSON.stringify(complete), brand)), info: complete.info, servers: complete.servers }
}
