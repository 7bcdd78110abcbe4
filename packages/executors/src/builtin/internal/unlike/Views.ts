/** A request as the detectors of unlike inputs read it. */
import * as Features from "../Features.ts"
import type { Counts } from "../PlaceCounts.ts"
import type { Turn } from "../Text.ts"

/** The characters kept of each end of a long request: an instruction stands at an end, and is a large part of it. */
const endCharacters = 240

export const isLong = (text: string): boolean => text.length > 2 * endCharacters

export const requestOf = (turns: ReadonlyArray<Turn>): string =>
  turns.findLast(({ role }) => role === "user")?.text ?? ""

/** Both ends of a long text. */
export const endsOf = (text: string, between: string): string =>
  isLong(text) ? `${text.slice(0, endCharacters)}${between}${text.slice(-endCharacters)}` : text

/** A text by its ends if it is long, with every digit a 0. */
export const viewOf = (text: string): string => endsOf(text, "\n").replaceAll(/\d/gu, "0")

/** A part of a text, as a featurizer reads it. */
export interface Part {
  readonly counts: Pick<Counts, "length" | "places">
  readonly tokens: ReadonlyArray<string>
}

export const paragraphEnd = /\n\s*\n/u

/** The paragraphs of a view. */
export const partsReader = (settings: Features.FeatureSettings) => {
  const { count, tokens } = Features.make(settings)
  return (view: string): ReadonlyArray<Part> =>
    view.split(paragraphEnd).map((text) => {
      const { length, places } = count([{ role: "user", text }])
      return { counts: { length, places: places.slice(0, length) }, tokens: tokens() }
    })
}
