/** Who answers calls, in words. */

/** By the API's names. */
export const responders: ReadonlyMap<string, string> = new Map([
  ["upstream", "upstream"],
  ["student", "student"],
  ["upstream_fallback", "upstream, as fallback"],
  ["mixed", "both, question by question"],
  ["shadow", "upstream, with a shadow"]
])

export const wordsOfResponder = (name: string): string => responders.get(name) ?? name.replaceAll("_", " ")
