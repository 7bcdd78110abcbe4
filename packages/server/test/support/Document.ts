/** The OpenAPI document as a judge: whether an answer is one that it describes. */
import { assert } from "@effect/vitest"
import { contract } from "@limbeck/api/Api"
import * as OpenApiDocument from "@limbeck/api/OpenApiDocument"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

interface Answer {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly "x-service-scopes": ReadonlyArray<string>
  readonly responses: Readonly<Record<string, Answer>>
}

// The document is ours; that it is valid OpenAPI is a test of its own.
const document = OpenApiDocument.make("http://localhost", contract) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, Answer>> }
}

export const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, "document")

const templates = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`)
}))

const pointer = (part: string) =>
  part.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")

const validators = new Map<string, ValidateFunction>()

/** An answer that several operations give stands under a name of its own. */
const placeOf = (path: string, method: string, status: string, { $ref }: Answer): ReadonlyArray<string> =>
  $ref === undefined ? ["paths", path, method, "responses", status] : $ref.slice("#/".length).split("/")

const contentOf = ({ $ref, content = {} }: Answer) =>
  $ref === undefined ? content : (document.components.responses[$ref.split("/").at(-1)!]?.content ?? {})

const validatorOf = (place: ReadonlyArray<string>, type: string): ValidateFunction => {
  const at = [...place, "content", type, "schema"].map(pointer).join("/")
  const validator = validators.get(at) ?? ajv.compile({ $ref: `document#/${at}` })
  validators.set(at, validator)
  return validator
}

/** The operation that the document gives for a request; none: the document knows no such route. */
export const operationOf = (method: string, path: string) => {
  const template = templates.find(({ pattern }) => pattern.test(path))?.path
  const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
  return template === undefined || operation === undefined ? undefined : { template, operation }
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
  assert.include(Object.keys(contentOf(response!)), answer.type, `${what}: the document foresees another type`)
  if (answer.type !== "application/json") return
  const place = placeOf(found.template, request.method.toLowerCase(), String(answer.status), response!)
  const validate = validatorOf(place, answer.type)
  assert.isTrue(validate(answer.body), `${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(answer.body)}`)
}
