/**
 * Patterns of a subscription: an exact type, `*`, or `<prefix>.*`, which matches any depth (contract 8). A type maps to
 * the set of its matching patterns, so that a set overlap, and never a scan, finds subscribers.
 */

/** `a.b.c` is matched by `*`, `a.*`, `a.b.*` and `a.b.c`. */
export const patternsOf = (type: string): ReadonlyArray<string> => {
  const parts = type.split(".")
  const prefixes = parts.slice(0, -1).map((_, depth) => `${parts.slice(0, depth + 1).join(".")}.*`)
  return ["*", ...prefixes, type]
}

export const matches = (pattern: string, type: string): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

/** Whether a pattern can match anything: `*`, a known type, or a prefix of one. */
export const isKnown = (pattern: string, types: ReadonlyArray<string>): boolean =>
  types.some((type) => matches(pattern, type))
