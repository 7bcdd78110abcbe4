/** Texts of callers in headers: bytes, of which most clients mean UTF-8 and some Latin-1. HTTP libraries show each byte as a character. */

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The caller's text: decoded as UTF-8 if valid, unchanged otherwise. */
export const read = (shown: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, which is the same in both
  if (/^[\x00-\x7f]*$/.test(shown)) return shown
  try {
    return utf8.decode(Uint8Array.from(shown, (character) => character.charCodeAt(0)))
  } catch {
    return shown
  }
}
