/** The part of a conversation that the student reads: normalized text, cut to a bound, in tokens. */

/** A message, reduced to its role and text. */
export interface Turn {
  readonly role: string
  readonly text: string
}

/** White space other than a single blank. */
const otherSpaces = /[^\S ]|\s{2}/u

/** Folds compatibility forms, case and white space. The result is never longer than `charactersMax`. */
export const normalize = (text: string, charactersMax: number): string => {
  const folded = text.slice(0, charactersMax).normalize("NFKC").toLowerCase()
  const spaced = otherSpaces.test(folded) ? folded.replace(/\s+/gu, " ") : folded
  return spaced.trim().slice(0, charactersMax)
}

/**
 * Scripts without spaces give a token per character; other scripts give a token per run of letters, marks and digits.
 * Each other sign is a token.
 */
const token =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]]+|[^\s]/gv

export const tokensOf = (text: string): ReadonlyArray<string> => text.match(token) ?? []

/** The request is the last user message, or the last message if no user spoke. `context` is the rest, newest first. */
export const partsOf = (
  turns: ReadonlyArray<Turn>
): { readonly request: string; readonly context: ReadonlyArray<Turn> } => {
  const user = turns.findLastIndex(({ role }) => role === "user")
  const at = user === -1 ? turns.length - 1 : user
  return { request: turns[at]?.text ?? "", context: turns.filter((_, index) => index !== at).toReversed() }
}
