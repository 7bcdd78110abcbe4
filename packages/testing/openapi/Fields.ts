/** Every field of the document's schemas has a description, which clients show on hover. */

type Json = Readonly<Record<string, unknown>>

const isObject = (node: unknown): node is Json => typeof node === "object" && node !== null

const isExample = (key: string): boolean => key === "example" || key === "examples"

/** Places of fields without a description. */
const bareIn = (node: unknown, place: string): ReadonlyArray<string> => {
  if (!isObject(node)) return []
  return Object.entries(node).flatMap(([key, member]) => {
    if (isExample(key)) return []
    if (key !== "properties" || !isObject(member)) return bareIn(member, place)
    return Object.entries(member).flatMap(([field, schema]) => {
      const own = `${place}.${field}`
      const isBare = !isObject(schema) || schema["description"] === undefined
      return [...(isBare ? [own] : []), ...bareIn(schema, own)]
    })
  })
}

/** `text`: the document. */
export const fieldFaults = (text: string): ReadonlyArray<string> => {
  const { components }: { readonly components: { readonly schemas: Json } } = JSON.parse(text)
  return Object.entries(components.schemas)
    .flatMap(([name, schema]) => bareIn(schema, name))
    .map(
      (place) =>
        `${place} has no description: annotate its schema, or name the field in packages/api/src/contract/fields`
    )
}
