/** Subscriptions to event types: an exact type, a family such as `distill.run.*`, or `*`. Pure. */

/** The families of a type: `a.*` and `a.b.*` of `a.b.c`. */
const familiesOf = (type: string): ReadonlyArray<string> => {
  const parts = type.split(".")
  return parts.slice(0, -1).map((_, depth) => `${parts.slice(0, depth + 1).join(".")}.*`)
}

/** Whether a pattern includes a type, or all types of another pattern. */
export const includes = (pattern: string, other: string): boolean =>
  pattern === "*" || pattern === other || (pattern.endsWith(".*") && other.startsWith(pattern.slice(0, -1)))

/** `*`, and each type after its families; a family of a single type is left out. */
export const patternsOf = (types: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sizes = new Map<string, number>()
  for (const family of types.flatMap(familiesOf)) sizes.set(family, (sizes.get(family) ?? 0) + 1)
  const offered = types.flatMap((type) => [...familiesOf(type).filter((family) => (sizes.get(family) ?? 0) > 1), type])
  return ["*", ...new Set(offered)]
}

/** The patterns after one is added or removed; a new pattern replaces the patterns that it includes. */
export const toggled = (chosen: ReadonlyArray<string>, pattern: string): ReadonlyArray<string> =>
  chosen.includes(pattern)
    ? chosen.filter((one) => one !== pattern)
    : [...chosen.filter((one) => !includes(pattern, one)), pattern]
