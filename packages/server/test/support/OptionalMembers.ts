/** Pairs of bodies for each optional member of a request: one without the member, the other with null as its value. */
import { exampleOf, type Node } from "@limbeck/api/Examples"

export interface Pair {
  /** `recipe.stages[].config.epochs` */
  readonly path: string
  readonly absent: unknown
  readonly nulled: unknown
  /** Whether the member's description defines null. */
  readonly isValue: boolean
}

type Find = (reference: string) => Node

const resolved = (node: Node, find: Find): Node =>
  node.$ref === undefined ? node : { ...find(node.$ref), ...("description" in node ? node : {}) }

/** The required members of an object, or its example. */
const neededOf = (node: Node, find: Find): Readonly<Record<string, unknown>> => {
  const { examples, properties = {}, required = [] } = node
  if (examples?.[0] !== undefined) return Object(examples[0])
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, find, name)]))
}

/** The smallest value of the schema. */
const sampleOf = (given: Node, find: Find, name: string): unknown => {
  const node = resolved(given, find)
  const [first] = node.anyOf ?? []
  if (node.type === undefined && first !== undefined) return sampleOf(first, find, name)
  if (node.type === "object" && node.properties !== undefined) return neededOf(node, find)
  if (node.type === "array" && node.items) return [sampleOf(node.items, find, name)]
  return exampleOf(node, find, name)
}

const without = (value: Readonly<Record<string, unknown>>, name: string) => {
  const { [name]: _, ...rest } = value
  return rest
}

const inside = (pair: Pair, at: string, around: (value: unknown) => unknown): Pair => ({
  ...pair,
  path: pair.path === "" || pair.path.startsWith("[") ? at + pair.path : `${at}.${pair.path}`,
  absent: around(pair.absent),
  nulled: around(pair.nulled)
})

const ofObject = (node: Node, find: Find): ReadonlyArray<Pair> => {
  const { properties = {}, required = [] } = node
  const needed = neededOf(node, find)
  return Object.entries(properties).flatMap(([name, member]) => {
    const nested = pairsOf(member, find).map((pair) => inside(pair, name, (value) => ({ ...needed, [name]: value })))
    if (required.includes(name)) return nested
    const isValue = /\bnull\b/i.test(resolved(member, find).description ?? "")
    return [{ path: name, absent: without(needed, name), nulled: { ...needed, [name]: null }, isValue }, ...nested]
  })
}

export const pairsOf = (given: Node, find: Find): ReadonlyArray<Pair> => {
  const node = resolved(given, find)
  if (node.anyOf !== undefined) return node.anyOf.flatMap((alternative) => pairsOf(alternative, find))
  if (node.properties !== undefined) return ofObject(node, find)
  return node.items ? pairsOf(node.items, find).map((pair) => inside(pair, "[]", (value) => [value])) : []
}
