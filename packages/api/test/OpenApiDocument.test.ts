/** The document: valid, complete, and saying of each operation what clients and tools need (contract 12, 14.29). */
import { assert, describe, it } from "@effect/vitest"
import { scopes } from "@limbeck/core/tokens/Scope"
import { humanOnlyOperations } from "@limbeck/core/workspaces/RoleRules"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { contract } from "../src/contract/Api.ts"
import { errorTable } from "../src/contract/ErrorTable.ts"
import * as OpenApiDocument from "../src/contract/OpenApiDocument.ts"
import { endpoints } from "./Endpoints.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

type Content = Readonly<Record<string, Media>>

interface Media {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Response {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
  readonly security: ReadonlyArray<unknown>
  readonly [extension: `x-${string}`]: unknown
}

const plain = OpenApiDocument.make("https://service.example", contract)
// Read as our document instead of any OpenAPI document; a missing part fails a case.
const document = plain as unknown as {
  readonly openapi: string
  readonly info: { readonly description: string }
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly components: {
    readonly schemas: object
    readonly securitySchemes: object
    readonly responses: Readonly<Record<string, Response>>
  }
  readonly "x-service-human-only": ReadonlyArray<string>
  readonly "x-service-transport": object
} // The first test checks that it is an OpenAPI document.

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
)

/** What a reference names. */
const at = (reference: string): unknown =>
  reference
    .split("/")
    .slice(1)
    .reduce<unknown>((node, name) => Object(node)[name], document)

const contentOf = ({ $ref, content = {} }: Response): Content =>
  $ref === undefined ? content : ((at($ref) as Response).content ?? {})

const operationNamed = (id: string): Operation => {
  const found = operations.find(({ operation }) => operation.operationId === id)
  assert.isDefined(found, id)
  return found!.operation
}

const publicRoutes = ["/healthz", "/v1/openapi.json", "/v1/event_types", "/v1/shared/reports/{share_token}"]

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1, of this server (P39)", async () => {
    assert.match(document.openapi, /^3\.1\./)
    const result = await new Validator().validate(structuredClone(plain) as Record<string, unknown>)
    assert.isTrue(result.valid, JSON.stringify(result.errors))
    assert.deepStrictEqual(document.servers, [{ url: "https://service.example", description: "This server" }])
  })

  it("has schemas that a JSON Schema 2020-12 validator compiles, and no reference that leads nowhere", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(plain, "document")
    const references = JSON.stringify(plain).match(/"#\/[^"]+"/g) ?? []
    for (const reference of new Set(references.map((text) => String(JSON.parse(text))))) {
      if (!reference.startsWith("#/components/schemas/")) assert.isDefined(at(reference), reference)
      else assert.isFunction(ajv.compile({ $ref: `document${reference}` }), reference)
    }
  })

  it("holds every endpoint of the contract but the internal ones, and nothing else (P39)", () => {
    const shown = operations.map(({ method, path }) => `${method} ${path}`)
    assert.sameMembers(
      shown,
      endpoints.filter(({ internal }) => !internal).map(({ name }) => name)
    )
    assert.strictEqual(new Set(shown).size, shown.length)
    assert.isFalse(Object.keys(document.paths).some((path) => /workspace|billing|channels|sandbox/.test(path)))
  })

  it("names each operation once, in words", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const { operation } of operations) {
      assert.match(operation.operationId, /^[a-z]+([A-Z][a-z]+)+$/)
      assert.isNotEmpty(operation.summary)
    }
  })

  it("names every path parameter, and no other", () => {
    for (const { operation, path } of operations) {
      const named = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)
      assert.sameMembers(
        named,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        path
      )
    }
  })

  it("asks for a bearer token wherever the server does", () => {
    assert.deepStrictEqual<unknown>(document.components.securitySchemes, {
      bearerAuth: { type: "http", scheme: "bearer" }
    })
    for (const { operation, path } of operations) {
      const capability = ["putUploadContent", "headUploadContent"].includes(operation.operationId) ? [{}] : []
      const expected = publicRoutes.includes(path) ? [] : [{ bearerAuth: [] }, ...capability]
      assert.deepStrictEqual(operation.security, expected, path)
    }
  })

  it("says of each operation its scopes, retries, place in the workflow and ends", () => {
    for (const { method, operation, path } of operations) {
      const held = operation["x-service-scopes"] as ReadonlyArray<string>
      assert.isTrue(held.every((scope) => scopes.includes(scope as (typeof scopes)[number])))
      assert.strictEqual(held.length, publicRoutes.includes(path) || path === "/v1/whoami" ? 0 : 1, path)
      const supported = operation["x-service-idempotency-supported"]
      const required = operation["x-service-idempotency-required"]
      const key = operation.parameters.find(({ name }) => name === "Idempotency-Key")
      // Proxied bytes are not our writes.
      const written = method === "POST" && !path.startsWith("/v1/proxy/")
      assert.strictEqual(supported, written, `${method} ${path}`)
      assert.deepStrictEqual([key !== undefined, key?.required ?? false], [supported, required])
      assert.isTrue(required !== true || supported === true)
      for (const list of ["prerequisites", "terminal-states"] as const) {
        assert.isArray(operation[`x-service-${list}`])
      }
      for (const text of ["workflow-stage", "recovery"] as const) {
        const value = operation[`x-service-${text}`]
        assert.isTrue(value === null || typeof value === "string", `${path} ${text}`)
      }
      assert.strictEqual(operation["x-service-human-only"], false)
    }
    const required = operations.filter(({ operation }) => operation["x-service-idempotency-required"])
    assert.sameMembers(
      required.map(({ operation }) => operation.operationId),
      ["createUpload", "createRun", "createDeployment", "retrainDeployment"]
    )
    assert.deepStrictEqual(operationNamed("getRun")["x-service-terminal-states"], ["succeeded", "failed", "canceled"])
  })

  it("says in words what is for people alone, though its routes are not shown (P162)", () => {
    const told = document["x-service-human-only"]
    assert.deepStrictEqual(told, humanOnlyOperations)
    for (const request of ["POST /v1/workspaces", "PATCH /v1/workspace with plan", "POST /v1/billing/top_ups"]) {
      assert.isTrue(
        humanOnlyOperations.some((sentence) => sentence.startsWith(`${request}: `)),
        request
      )
      assert.include(document.info.description, request)
    }
    assert.isFalse(operations.some(({ path }) => /workspace|billing/.test(path)))
  })

  it("says of what goes on after its answer when it has ended, and what to do after a time-out", () => {
    const created = ["createUpload", "createPull", "createDatasetVersion", "createRun", "retryRun", "createDeployment"]
    for (const id of [...created, "getUpload", "getPull", "getDatasetVersion", "getRun", "getDeployment"]) {
      const operation = operationNamed(id)
      assert.isNotEmpty(operation["x-service-terminal-states"], id)
      assert.isString(operation["x-service-recovery"], id)
    }
  })

  it("lists the errors that an operation can answer with, by what it is and takes (P171)", () => {
    for (const { method, operation, path } of operations) {
      const expected = ["400", "500", "503"]
      if (!publicRoutes.includes(path)) expected.push("401", "403", "429")
      if (operation.requestBody !== undefined) expected.push("404", "408", "413")
      if (path.includes("{")) expected.push("404")
      if (operation["x-service-idempotency-supported"] === true || method === "PATCH") expected.push("409")
      if (path.startsWith("/v1/proxy/")) expected.push("502", "504")
      // Health has no fault of its own, only a trouble of storage.
      const wanted = path === "/healthz" ? ["400", "503"] : expected
      assert.includeMembers(Object.keys(operation.responses), wanted, `${method} ${path}`)
    }
  })

  it("lists no error that an operation cannot answer with (P171)", () => {
    for (const { method, operation, path } of operations) {
      const statuses = Object.keys(operation.responses)
      if (operation.requestBody === undefined) assert.notIncludeMembers(statuses, ["408", "413"], path)
      if (operation.requestBody === undefined && !path.includes("{")) assert.notInclude(statuses, "404", path)
      if (publicRoutes.includes(path)) assert.notIncludeMembers(statuses, ["401", "403", "409"], path)
      const [success] = statuses.filter((status) => status < "300")
      assert.include(["200", "201", "202"], success)
      // What an upstream says passes, whatever its status.
      assert.strictEqual(statuses.includes("default"), path.startsWith("/v1/proxy/"), `${method} ${path}`)
    }
  })

  it("has one shape for every error, and an example for each code of a status (P171)", () => {
    const shown = Object.values(document.components.responses).flatMap((response) => {
      const { "application/json": media } = contentOf(response)
      assert.deepStrictEqual<unknown>(media?.schema, { $ref: "#/components/schemas/Error" })
      return Object.keys(media?.examples ?? {})
    })
    for (const { operation, path } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const isOwn = status < "300" || status === "default" || (path === "/healthz" && status === "503")
        if (!isOwn) assert.isString(response.$ref, `${path} ${status}`)
      }
    }
    const statuses = new Set(operations.flatMap(({ operation }) => Object.keys(operation.responses)))
    const codes = Object.values(errorTable).filter(({ status }) => statuses.has(String(status)))
    assert.includeMembers(
      shown,
      codes.map(({ code }) => code)
    )
  })

  it("has an example for every body, which fits its own schema (P170)", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(plain, "document")
    // Operations share their errors.
    const checked = new Set<Media>()
    const check = (what: string, shared: Media) => {
      if (checked.has(shared)) return
      checked.add(shared)
      const { schema, ...media } = shared
      const values =
        "example" in media ? [media.example] : Object.values(media.examples ?? {}).map(({ value }) => value)
      assert.isNotEmpty(values, what)
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
      const fits = ajv.compile(own)
      for (const value of values) assert.isTrue(fits(value), `${what}: ${ajv.errorsText(fits.errors)}`)
    }
    for (const { method, operation, path } of operations) {
      const bodies = [operation.requestBody?.content ?? {}, ...Object.values(operation.responses).map(contentOf)]
      for (const [type, media] of bodies.flatMap(Object.entries<Media>)) {
        // Bytes, and what an upstream makes up.
        if (type !== "application/gzip" && type !== "*/*") check(`${method} ${path} ${type}`, media)
      }
    }
  })

  it("says of every group what it is for", () => {
    for (const { description, name } of document.tags) assert.isNotEmpty(description ?? "", name)
  })

  it("shows numbers as numbers, with their bounds and defaults", () => {
    const schemaOf = (id: string, parameter: string) =>
      operationNamed(id).parameters.find(({ name }) => name === parameter)?.schema
    assert.deepStrictEqual(schemaOf("listEvents", "limit"), { type: "integer", minimum: 1, default: 20 })
    assert.deepStrictEqual(schemaOf("getRunLogs", "limit"), { type: "integer", minimum: 1, default: 200 })
    assert.deepStrictEqual(schemaOf("getRunLogs", "stage"), { type: "integer", enum: [1, 2, 3, 4, 5] })
    assert.deepInclude(schemaOf("listEvents", "created_after") ?? {}, { type: "string", format: "date-time" })
  })

  it("asks for a body only where there must be one", () => {
    for (const id of ["cancelRun", "retryRun", "rotateToken"]) assert.isFalse(operationNamed(id).requestBody?.required)
    for (const id of ["createRun", "createUpload", "createToken"])
      assert.isTrue(operationNamed(id).requestBody?.required)
  })

  it("says what is guaranteed of the transport", () => {
    assert.isNotEmpty(Object.keys(document["x-service-transport"]))
  })
})

describe("the error table", () => {
  it("gives the statuses and codes of the contract", () => {
    const rows = Object.values(errorTable).map(({ code, status, type }) => `${status} ${type} ${code}`)
    assert.sameMembers(
      [...new Set(rows)],
      [
        "400 invalid_request_error invalid_request_error",
        "413 invalid_request_error invalid_request_error",
        "408 invalid_request_error invalid_request_error",
        "415 invalid_request_error invalid_request_error",
        "401 authentication_error authentication_error",
        "402 quota_error quota",
        "403 permission_error permission_error",
        "404 not_found_error not_found_error",
        "410 not_found_error gone",
        "409 conflict_error conflict_error",
        "409 conflict_error idempotency_key_in_flight",
        "409 conflict_error idempotency_key_reused",
        "429 rate_limit_error rate_limit_error",
        "503 api_error api_error",
        "400 invalid_request_error teacher_model_unknown",
        "502 api_error teacher_unavailable",
        "504 api_error teacher_unavailable",
        "503 api_error catalog_unavailable",
        "400 invalid_request_error proxy_loop",
        "502 api_error api_error",
        "504 api_error api_error"
      ]
    )
  })
})
