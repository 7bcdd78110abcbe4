/**
 * Flattens a schema of the document: merges checks from a separate `allOf` into the rest. Validators see no difference, and
 * client generators make a single type.
 */

/** Keywords whose meaning is independent of their place in the schema. */
const free = new Set([
  ...[
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum"
  ],
  ...["multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"],
  ...["not", "description", "default", "examples"]
])

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const ofNode = (node: Node): Node => {
  const mapped: Node = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, flatten(value)]))
  const { allOf, ...rest } = mapped
  if (!Array.isArray(allOf) || !allOf.every(isNode)) return mapped
  const added = allOf.flatMap(Object.keys)
  const names = [...Object.keys(rest), ...added]
  const canJoin = added.every((name) => free.has(name)) && new Set(names).size === names.length
  return canJoin ? Object.assign({}, rest, ...allOf) : mapped
}

export const flatten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(flatten)
  return isNode(value) ? ofNode(value) : value
}
