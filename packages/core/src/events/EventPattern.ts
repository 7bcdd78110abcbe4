/**
 * Patterns of a subscription: an exact type, `*`, or `<prefix>.*`, which matches any depth (contract 8). A type maps to
 * the set of its matching patterns, so that a set overlap, and never a scan, finds subscribers.
 */

import { mistakesBetween } from "../text/Mistakes.ts"

/** `a.b.c` is matched by `*`, `a.*`, `a.b.*` and `a.b.c`. */
export const patternsOf = (type: string): ReadonlyArray<string> => {
  const parts = type.split(".")
  const prefixes = parts.slice(0, -1).map((_, depth) => `${parts.slice(0, depth + 1).join(".")}.*`)
  return ["*", ...prefixes, type]
}

export const matches = (pattern: string, type: string): boolean =>
  pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)))

/** No type is longer. */
const comparedMax = 128

/** The name that takes the fewest changes to make of a mistyped type or pattern. */
export const nearest = (mistyped: string, names: ReadonlyArray<string>): string | undefined => {
  const compared = mistyped.slice(0, comparedMax)
  let best: { readonly name: string; readonly mistakes: number } | undefined
  for (const name of names) {
    const mistakes = mistakesBetween(compared, name)
    if (best === undefined || mistakes < best.mistakes) best = { name, mistakes }
  }
  return best?.name
}

/** Whether a pattern can match: `*`, a known type, or a prefix of one. */
export const isKnown = (pattern: string, types: ReadonlyArray<string>): boolean =>
  types.some((type) => matches(pattern, type))
