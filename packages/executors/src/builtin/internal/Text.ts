/** What of a conversation the student reads: one form for all writings of a text, cut to a bound, in tokens. */

/** A message, reduced to who said it and its text. */
export interface Turn {
  readonly role: string
  readonly text: string
}

/** Spaces that are not single blanks. */
const otherSpaces = /[^\S ]|\s{2}/u

/** Compatibility forms, case and kinds of space are told apart no more; never longer than `charactersMax`. */
export const normalize = (text: string, charactersMax: number): string => {
  const folded = text.slice(0, charactersMax).normalize("NFKC").toLowerCase()
  const spaced = otherSpaces.test(folded) ? folded.replace(/\s+/gu, " ") : folded
  return spaced.trim().slice(0, charactersMax)
}

/** Scripts without spaces give a token per character, others one per run of letters, marks and digits; signs stand alone. */
const token =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]]+|[^\s]/gv

export const tokensOf = (text: string): ReadonlyArray<string> => text.match(token) ?? []

/** The request: what the user said last; where no user spoke, what was said last. `context` is the rest, newest first. */
export const partsOf = (
  turns: ReadonlyArray<Turn>
): { readonly request: string; readonly context: ReadonlyArray<Turn> } => {
  const user = turns.findLastIndex(({ role }) => role === "user")
  const at = user === -1 ? turns.length - 1 : user
  return { request: turns[at]?.text ?? "", context: turns.filter((_, index) => index !== at).toReversed() }
}
