/** Maps a connecting address to a client for rate limits. Pure. */

/** The 16-bit groups on one side of `::`. */
const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/**
 * Returns an IPv4 address unchanged and the first 64 bits of an IPv6 address: providers assign a /64 to one household, so varying
 * the lower 64 bits does not create a new client.
 */
export const clientOf = (address: string): string => {
  const text = address.toLowerCase().replace(/%.*$/, "")
  if (!text.includes(":")) return text
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mapped !== undefined) return mapped
  const [head = "", tail] = text.split("::", 2)
  const [front, back] = [groupsOf(head), groupsOf(tail ?? "")]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  const groups = [...front, ...Array.from({ length: zeros }, () => "0"), ...back]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
