/** Examples of the objects of events, made of the schemas of their resources: test events send them. Pure. */
import type { EventType } from "@limbeck/core/events/Event"
import * as Schema from "effect/Schema"
import { exampleOf, type Node } from "../contract/Examples.ts"

/** The last word of the type where the resource has such a status: `failed` of `distill.run.failed`. */
const statusOf = (type: string, schema: Node, find: (reference: string) => Node): Schema.JsonObject => {
  const named = type.slice(type.lastIndexOf(".") + 1)
  const { $ref, ...rest } = schema.properties?.["status"] ?? {}
  const node = $ref === undefined ? rest : find($ref)
  return node.enum?.includes(named) === true ? { status: named } : {}
}

/** An id that nothing has: `run_example`. */
const idOf = (example: Schema.JsonObject): string => `${String(example["id"]).replace(/_.*$/, "")}_example`

const objectOf = (type: string, resource: Schema.Top): Schema.JsonObject => {
  const document = Schema.toJsonSchemaDocument(resource)
  const definitions = document.definitions as Readonly<Record<string, Node>>
  const find = (reference: string): Node => definitions[reference.slice(reference.lastIndexOf("/") + 1)] ?? {}
  const root = document.schema as Node
  const schema = root.$ref === undefined ? root : find(root.$ref)
  // A resource is an object.
  const example = exampleOf(schema, find) as Schema.JsonObject
  const mode = "livemode" in example ? { livemode: false } : {}
  return { ...example, ...mode, ...statusOf(type, schema, find), id: idOf(example) }
}

/** The types with examples of their objects; `resources`: what the events of each domain hold. */
export const withExamples = (
  types: ReadonlyArray<EventType>,
  resources: Readonly<Record<string, Schema.Top>>
): ReadonlyArray<EventType> =>
  types.map((entry) => {
    const resource = resources[entry.domain]
    return resource === undefined ? entry : { ...entry, example: () => objectOf(entry.type, resource) }
  })
