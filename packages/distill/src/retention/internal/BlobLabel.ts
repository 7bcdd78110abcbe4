/** Labels of the contents named by a resource, which find the resource before a removal. */

const label = (sha256: string): string => `blob:${sha256}`

export const labels = (digests: Iterable<string>): ReadonlyArray<string> => Array.from(digests, label)

const digest = /^[0-9a-f]{64}$/

/** All possible digests in a JSON value: executors place theirs freely. */
export const digestsIn = (json: unknown, found: Set<string> = new Set()): Set<string> => {
  if (typeof json === "string") {
    if (digest.test(json)) found.add(json)
  } else if (typeof json === "object" && json !== null) {
    for (const member of Object.values(json)) digestsIn(member, found)
  }
  return found
}
