/** A path inside a value, in errors' form: `recipe.stages[1].config.epochs`. */
export type Segment = PropertyKey | { readonly key: PropertyKey }

export const keyOf = (segment: Segment): PropertyKey => (typeof segment === "object" ? segment.key : segment)

export const text = (path: ReadonlyArray<Segment>): string =>
  path.map(keyOf).reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")
