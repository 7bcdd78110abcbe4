/** What of a connecting address stands for one client. Pure. */

/** The groups that a text of an IPv6 address writes out on one side of `::`. */
const groupsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/**
 * An IPv4 address as it is; of an IPv6 address its first 64 bits: a provider gives so many to one household, so whoever changes
 * the other 64 stays the same client.
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
