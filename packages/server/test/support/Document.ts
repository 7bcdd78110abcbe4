/** The OpenAPI document as a judge of responses. */
import { assert } from "@effect/vitest"
import { contract } from "@limbeck/api/Api"
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"

interface Answer {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>
  /** Absent where no credentials are needed; an empty one among them: a capability is enough. */
  readonly security?: ReadonlyArray<object>
  readonly "x-service-scopes": ReadonlyArray<string>
  readonly "x-service-human-only": boolean
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Readonly<Record<string, Answer>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

// Both are ours; another test checks that the public one is valid OpenAPI.
const publicDocument = OpenApiDocument.make("http://localhost", contract) as unknown as Document

/** What the document of a caller does not show (contract 12): described in the same way, for the tests alone. */
const internalDocument = (() => {
  const groups: Array<HttpApiGroup.Constraint> = []
  HttpApi.reflect(contract.api, {
    onGroup: ({ group }) => {
      if (Context.get(group.annotations, OpenApi.Exclude)) groups.push(group.annotate(OpenApi.Exclude, false))
    },
    onEndpoint: () => {}
  })
  // There is at least one group, for people alone.
  const api = HttpApi.make("service").add(...(groups as [HttpApiGroup.Constraint]))
  return OpenApiDocument.make("http://localhost", { ...contract, api }) as unknown as Document
})()

/** The operations that callers see. */
export const operations = Object.values(publicDocument.paths).flatMap((methods) => Object.values(methods))

const documents = { public: publicDocument, internal: internalDocument }
type Name = keyof typeof documents

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

const templates = (["public", "internal"] as const).flatMap((document) => {
  const whole = documents[document]
  ajv.addSchema(whole, document)
  return Object.entries(whole.paths).map(([path, operations]) => ({
    document,
    path,
    operations,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`)
  }))
})

/** Every served operation, including those hidden from callers. */
export const everyOperation = templates.flatMap(({ document, operations, path }) =>
  Object.entries(operations).map(([method, operation]) => ({
    document,
    method: method.toUpperCase(),
    path,
    operation,
    /** The names of the ids in its path. */
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
  }))
)

/** Looks up a schema that a document refers to. */
export const schemaNamed = (document: Name) => (reference: string) =>
  documents[document].components.schemas[reference.slice(reference.lastIndexOf("/") + 1)] ?? {}

type Schema = Readonly<Record<string, unknown>> | undefined

/** What a reference leads to. */
const resolved = (document: Name, schema: Schema): Schema => {
  const name = String(schema?.["$ref"] ?? "")
    .split("/")
    .at(-1)
  return name === "" || name === undefined ? schema : documents[document].components.schemas[name]
}

const membersOf = (document: Name, schema: Schema): ReadonlyArray<readonly [string, Schema]> => {
  const whole = resolved(document, schema)
  const {
    allOf = [],
    anyOf = [],
    items,
    properties = {}
  } = (whole ?? {}) as {
    readonly allOf?: ReadonlyArray<Schema>
    readonly anyOf?: ReadonlyArray<Schema>
    readonly items?: Schema
    readonly properties?: Readonly<Record<string, Schema>>
  }
  return [
    ...Object.entries(properties),
    ...(items === undefined ? [] : [["[]", items] as const]),
    ...[...allOf, ...anyOf].flatMap((part) => membersOf(document, part))
  ]
}

const idForm = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/

/** Whether a schema, or an alternative of it, has an id as its example. */
const isId = (document: Name, schema: Schema): boolean => {
  const { anyOf = [], examples = [] } = (resolved(document, schema) ?? {}) as {
    readonly anyOf?: ReadonlyArray<Schema>
    readonly examples?: ReadonlyArray<unknown>
  }
  return idForm.test(String(examples[0])) || anyOf.some((alternative) => isId(document, alternative))
}

/** The fields of a schema that hold an id, by their paths. */
const idFields = (document: Name, schema: Schema, path = ""): ReadonlyArray<string> => {
  if (isId(document, schema)) return [path]
  return membersOf(document, schema).flatMap(([name, member]) =>
    idFields(document, member, path === "" ? name : `${path}.${name}`)
  )
}

/** Each field of a request's body that names a resource: `createRun dataset_version`. */
export const bodyReferences = everyOperation.flatMap(({ document, operation }) => {
  const schema = operation.requestBody?.content["application/json"]?.schema
  return [...new Set(idFields(document, schema))].map((field) => `${operation.operationId} ${field}`)
})

/** Whether the operation lists what has a `created_at`. */
export const listsTimes = ({ document, operation }: (typeof everyOperation)[number]): boolean => {
  const answer = operation.responses["200"]?.content?.["application/json"] as { readonly schema?: Schema } | undefined
  const members = new Map(membersOf(document, answer?.schema))
  if (!members.has("has_more")) return false
  const items = new Map(membersOf(document, members.get("data"))).get("[]")
  return membersOf(document, items).some(([name]) => name === "created_at")
}

const pointer = (part: string) =>
  part.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")

const validators = new Map<string, ValidateFunction>()

/** An answer that several operations give stands under a name of its own. */
const placeOf = (path: string, method: string, status: string, { $ref }: Answer): ReadonlyArray<string> =>
  $ref === undefined ? ["paths", path, method, "responses", status] : $ref.slice("#/".length).split("/")

const contentOf = (name: Name, { $ref, content = {} }: Answer) =>
  $ref === undefined ? content : (documents[name].components.responses[$ref.split("/").at(-1)!]?.content ?? {})

const validatorOf = (name: Name, place: ReadonlyArray<string>, type: string): ValidateFunction => {
  const at = `${name}#/${[...place, "content", type, "schema"].map(pointer).join("/")}`
  const validator = validators.get(at) ?? ajv.compile({ $ref: at })
  validators.set(at, validator)
  return validator
}

/** Whether the documents allow this JSON body of a request. */
export const allowsBody = ({ document, method, path }: (typeof everyOperation)[number], body: unknown): boolean =>
  validatorOf(document, ["paths", path, method.toLowerCase(), "requestBody"], "application/json")(body)

/** Fails unless a value is what the public document names `schema`. */
export const assertSchema = (schema: string, value: unknown, what: string) => {
  const validate = ajv.compile({ $ref: `public#/components/schemas/${schema}` })
  assert.isTrue(validate(value), `${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`)
}

/** The operation that the documents give for a request; none: there is no such route. */
export const operationOf = (method: string, path: string) => {
  const found = templates.find(({ operations, pattern }) => pattern.test(path) && method.toLowerCase() in operations)
  const operation = found?.operations[method.toLowerCase()]
  return found === undefined || operation === undefined
    ? undefined
    : { document: found.document, template: found.path, operation }
}

/** Fails unless the document foresees this status, content type and body. */
export const assertDocumented = (
  request: { readonly method: string; readonly path: string },
  answer: { readonly status: number; readonly type: string; readonly body: unknown }
) => {
  const found = operationOf(request.method, request.path)
  if (found === undefined) return
  const what = `${request.method} ${request.path} → ${answer.status}`
  const response = found.operation.responses[answer.status]
  assert.isDefined(response, `${what}: the document does not foresee this status`)
  assert.include(
    Object.keys(contentOf(found.document, response!)),
    answer.type,
    `${what}: the document foresees another type`
  )
  if (answer.type !== "application/json") return
  const place = placeOf(found.template, request.method.toLowerCase(), String(answer.status), response!)
  const validate = validatorOf(found.document, place, answer.type)
  assert.isTrue(validate(answer.body), `${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(answer.body)}`)
}
