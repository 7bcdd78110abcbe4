/** How deep JSON nests, told from its text: what nests deeper than the stack can be read and not be written again. */

const [quote, backslash, openObject, openArray, closeObject, closeArray] = [0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d]

/** The place of the quote that ends a string which begins before `from`. */
const endOfString = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at
  }
  return text.length
}

export const nestsDeeper = (json: string, max: number): boolean => {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) at = endOfString(json, at + 1)
    else if (code === openObject || code === openArray) {
      if (++depth > max) return true
    } else if (code === closeObject || code === closeArray) depth--
  }
  return false
}
