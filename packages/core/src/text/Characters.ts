/** Text lengths as in JSON Schema: in characters (code points), which may take two UTF-16 units. */
import * as Schema from "effect/Schema"

/** A lone surrogate counts as one character, as in string iteration. */
const count = (text: string): number => {
  let characters = 0
  for (const _ of text) characters++
  return characters
}

/** Whether a text has at most `max` characters. Free for short and for much too long texts. */
export const areAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && count(text) <= max)

/** Like `Schema.isMaxLength` for strings, but in characters: `maxLength` in the API's document. */
export const isMaxCharacters = (max: number, annotations?: Schema.Annotations.Filter) =>
  Schema.makeFilter<string>((text) => areAtMost(text, max), {
    expected: `a value with a length of at most ${max}`,
    toJsonSchema: () => ({ maxLength: max }),
    arbitraryConstraint: { maxLength: max },
    ...annotations
  })
