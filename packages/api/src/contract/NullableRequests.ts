/**
 * The document's side of one rule for all request bodies: null for an optional member counts as absent. The server's side
 * is `Decode.strict` of @limbeck/server. A schema shared with responses is copied for requests, so that responses stay
 * narrow.
 */

import type * as OpenApi from "effect/http-api/OpenApi"

type Node = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const prefix = "#/components/schemas/"
const nameOf = ({ $ref }: Node): string | undefined =>
  typeof $ref === "string" && $ref.startsWith(prefix) ? $ref.slice(prefix.length) : undefined

/** The names of the schemas that a part of the document references, directly or indirectly. */
const referred = (part: unknown, schemas: Schemas, names = new Set<string>()): ReadonlySet<string> => {
  if (Array.isArray(part)) for (const item of part) referred(item, schemas, names)
  if (!isNode(part)) return names
  const name = nameOf(part)
  if (name !== undefined && !names.has(name)) referred(schemas[name], schemas, names.add(name))
  for (const member of Object.values(part)) referred(member, schemas, names)
  return names
}

/** Members of a schema that restrict nothing. */
const annotations = new Set(["title", "description", "default", "examples"])

/** Whether the schema accepts null. */
const takesNull = (node: Node): boolean => {
  const { anyOf, type } = node
  if (type === "null" || Object.keys(node).every((key) => annotations.has(key))) return true
  return Array.isArray(anyOf) && anyOf.some((alternative) => isNode(alternative) && takesNull(alternative))
}

const orNull = ({ description, ...node }: Node): Node => ({
  ...(description === undefined ? {} : { description }),
  anyOf: [node, { type: "null" }]
})

/** The schema with null as a further value of each optional member. `rename`: the name in requests of another schema. */
const nullable = (value: unknown, rename: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map((item) => nullable(item, rename))
  if (!isNode(value)) return value
  const name = nameOf(value)
  if (name !== undefined) return { ...value, $ref: prefix + rename(name) }
  const mapped = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, nullable(member, rename)]))
  const { properties, required } = mapped
  if (!isNode(properties)) return mapped
  const needed = new Set(Array.isArray(required) ? required : [])
  const members = Object.entries(properties).map(([key, member]) => [
    key,
    needed.has(key) || !isNode(member) || takesNull(member) ? member : orNull(member)
  ])
  return { ...mapped, properties: Object.fromEntries(members) }
}

interface Operation {
  readonly requestBody?: unknown
  readonly responses?: unknown
}

const mapValues = <A>(record: Readonly<Record<string, A>>, change: (value: A) => A): Record<string, A> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

/** The document, in which each optional member of a request's body may be null. */
export const withNulls = <D extends OpenApi.OpenAPISpec>(document: D): D => {
  const schemas: Schemas = document.components.schemas
  // A path of ours has operations alone.
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const namesIn = (part: keyof Operation) =>
    referred(
      operations.map((operation) => operation[part]),
      schemas
    )
  const [requested, answered] = [namesIn("requestBody"), namesIn("responses")]
  const changes = (name: string): boolean =>
    [name, ...referred(schemas[name], schemas)].some((one) => {
      const before = schemas[one]
      return JSON.stringify(nullable(before, (same) => same)) !== JSON.stringify(before)
    })
  const copied = new Set([...requested].filter((name) => answered.has(name) && changes(name)))
  const rename = (name: string): string => (copied.has(name) ? `${name}Input` : name)
  const changed = [...requested].map((name) => [rename(name), nullable(schemas[name], rename)])
  const taking = (operation: Operation): Operation =>
    operation.requestBody === undefined
      ? operation
      : { ...operation, requestBody: nullable(operation.requestBody, rename) }
  return {
    ...document,
    paths: mapValues(paths, (methods) => mapValues(methods, taking)),
    components: { ...document.components, schemas: { ...schemas, ...Object.fromEntries(changed) } }
  }
}
