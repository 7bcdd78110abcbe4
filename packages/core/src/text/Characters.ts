/** Lengths of text as JSON Schema counts them: in characters (code points), of which some take two places in a string. */
import * as Schema from "effect/Schema"

/** A surrogate that has no partner counts as one, as when it is iterated over. */
const count = (text: string): number => {
  let characters = 0
  for (const _ of text) characters++
  return characters
}

/** Whether a text has at most `max` characters. Costs nothing for one that is short or much too long. */
export const areAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && count(text) <= max)

/** As `Schema.isMaxLength`, of strings alone, and in characters: what `maxLength` of the API's document says. */
export const isMaxCharacters = (max: number, annotations?: Schema.Annotations.Filter) =>
  Schema.makeFilter<string>((text) => areAtMost(text, max), {
    expected: `a value with a length of at most ${max}`,
    toJsonSchema: () => ({ maxLength: max }),
    arbitraryConstraint: { maxLength: max },
    ...annotations
  })
