/** A place for every text, the same on every server: what shares of calls are told by. */

const basis = 0x811c9dc5
const prime = 0x01000193

/** From 0 up to 1, evenly for texts that differ in whatever character: FNV-1a, then the finalizer of MurmurHash3. */
export const placeOf = (text: string): number => {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
