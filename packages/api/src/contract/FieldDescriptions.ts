/** Gives fields of the document a description where their schema has none, by their name. Pure. */
import { commonFields } from "./fields/CommonFields.ts"
import { trafficFields } from "./fields/TrafficFields.ts"
import { trainingFields } from "./fields/TrainingFields.ts"

const descriptions: Readonly<Record<string, string>> = { ...trainingFields, ...trafficFields, ...commonFields }

type Json = Readonly<Record<string, unknown>>

const isObject = (node: unknown): node is Json => typeof node === "object" && node !== null && !Array.isArray(node)

/** A field's text under its parent, else by its name alone. */
const textOf = (parent: string, field: string): string | undefined =>
  descriptions[`${parent}.${field}`] ?? descriptions[field]

/** Examples are data, so their `properties` key has no JSON Schema meaning. */
const isData = (key: string): boolean => key === "example" || key === "examples" || key === "default" || key === "const"

const propertiesOf = (properties: Json, parent: string): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => {
      const inner = described(schema, field)
      const text = textOf(parent, field)
      const isBare = isObject(inner) && inner["description"] === undefined
      return [field, isBare && text !== undefined ? { ...inner, description: text } : inner]
    })
  )

const described = (node: unknown, parent: string): unknown => {
  if (Array.isArray(node)) return node.map((item) => described(item, parent))
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, member]) => {
      if (isData(key)) return [key, member]
      return [key, key === "properties" && isObject(member) ? propertiesOf(member, parent) : described(member, parent)]
    })
  )
}

/** `schemas`: those of the document's components, by name. */
export const withFieldDescriptions = <Schemas extends Json>(schemas: Schemas): Schemas =>
  // The same schemas, with more annotations.
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, described(schema, name)])) as Schemas
