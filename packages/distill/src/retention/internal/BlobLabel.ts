/** Resources that name a content carry a label of its digest, so that they are found before it is removed. */

const label = (sha256: string): string => `blob:${sha256}`

export const labels = (digests: Iterable<string>): ReadonlyArray<string> => Array.from(digests, label)

const digest = /^[0-9a-f]{64}$/

/** All texts in a JSON that a digest could be: executors say where theirs are as they like. */
export const digestsIn = (json: unknown, found: Set<string> = new Set()): Set<string> => {
  if (typeof json === "string") {
    if (digest.test(json)) found.add(json)
  } else if (typeof json === "object" && json !== null) {
    for (const member of Object.values(json)) digestsIn(member, found)
  }
  return found
}
