/** Makes text safe for a terminal: the result cannot move the cursor, set a title, hide text or change its direction. Pure. */

/**
 * Control characters, marks that turn the direction of text, separators of lines and paragraphs, invisible marks and tags, and
 * halves of surrogate pairs.
 */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu

const escaped = (characters: string): string =>
  Array.from({ length: characters.length }, (_, index) =>
    String.fromCharCode(92).concat("u", characters.charCodeAt(index).toString(16).padStart(4, "0"))
  ).join("")

/** One line: every such character, a newline too, becomes `\uXXXX`. */
export const line = (text: string): string => text.replace(unprintable, escaped)

/** JSON of a value on one line. In JSON such characters stand inside of strings alone, where the escape means the same. */
export const json = (value: unknown): string => line(JSON.stringify(value))
