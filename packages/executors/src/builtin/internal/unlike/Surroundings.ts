/**
 * Removes what mail, forms and the rows' own layout put around a text: lines that most rows have, a greeting in front, lines of a
 * key and a short value, and rulers. What remains is the text that a detector judges.
 */
import { normalize } from "../Text.ts"

/** The share of the rows that must have a line before the line is layout. */
const commonFrom = 0.5
/** Maximum lines read of a text. */
const linesMax = 200
/** The most words of a greeting. */
const greetingWords = 4

const fold = (line: string): string => normalize(line, line.length).replaceAll(/\d/gu, "0")

/** The folded lines that most of the texts have; none where no text has a second line. */
export const commonLines = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const text of texts) {
    const lines = text.split("\n", linesMax)
    if (lines.length === 1) continue
    for (const line of new Set(lines.map(fold))) if (line !== "") counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return [...counts].flatMap(([line, count]) => (count > commonFrom * texts.length ? [line] : []))
}

const keyed = /^\s*(\p{L}[\p{L}\p{M} ._/-]{0,30}):\s+(\S.*)$/u
/** Lines of a mail header, in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const header =
  /^(?:from|to|cc|bcc|date|sent|subject|reply-to|von|an|datum|gesendet|betreff|de|à|para|date|envoyé|objet|fecha|enviado|asunto|da|a|data|inviato|oggetto|assunto|van|aan|verzonden|onderwerp)$/iu
const ruler = /^\s*([-_=*])\1+(?:.*\1{2,})?\s*$/u
const word = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+/gu

const wordsOf = (text: string): number => text.match(word)?.length ?? 0

const isGreeting = (line: string): boolean => /[,:!]\s*$/u.test(line) && wordsOf(line) <= greetingWords

/** The lines without the greeting in front. */
const afterGreeting = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = lines.findIndex((line) => line.trim() !== "")
  const isAlone = lines[at + 1]?.trim() === "" && lines.slice(at + 1).some((line) => line.trim() !== "")
  return at >= 0 && isAlone && isGreeting(lines[at]!) ? lines.slice(at + 2) : lines
}

interface Field {
  readonly at: number
  readonly value: string
  readonly isHeader: boolean
}

const longest = (fields: ReadonlyArray<Field>): Field | undefined =>
  fields.reduce<Field | undefined>(
    (most, field) => (most === undefined || wordsOf(field.value) > wordsOf(most.value) ? field : most),
    undefined
  )

/** A single key is part of a text; two and more are a form, whose longest value is the text, or a header. */
const withoutKeys = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const fields = lines.flatMap((line, at): ReadonlyArray<Field> => {
    const [, key, value] = keyed.exec(line) ?? []
    return key === undefined || value === undefined ? [] : [{ at, value, isHeader: header.test(key) }]
  })
  if (fields.length < 2) return lines
  const dropped = new Set(fields.map(({ at }) => at))
  const isOther = lines.some((line, at) => !dropped.has(at) && line.trim() !== "")
  const text = longest(fields.filter(({ isHeader }) => !isHeader)) ?? (isOther ? undefined : longest(fields))
  return lines.flatMap((line, at) => (at === text?.at ? [text.value] : dropped.has(at) ? [] : [line]))
}

/** The most lines behind a ruler that are a signature. */
const signatureLines = 6

/** The lines without the signature behind the last ruler (RFC 3676, section 4.3). */
const withoutSignature = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = lines.findLastIndex((line) => ruler.test(line))
  const isBehind =
    at > 0 && lines.length - at <= signatureLines + 1 && lines.slice(0, at).some((line) => line.trim() !== "")
  return (isBehind ? lines.slice(0, at) : lines).filter((line) => !ruler.test(line))
}

/** `common`: lines of `commonLines`. Returns the text itself where nothing remains. */
export const remover = (common: ReadonlyArray<string>): ((text: string) => string) => {
  const known = new Set(common)
  return (text) => {
    if (!text.includes("\n")) return text
    const lines = text.split("\n")
    const own = known.size === 0 ? lines : lines.filter((line) => !known.has(fold(line)))
    const rest = withoutKeys(afterGreeting(withoutSignature(own))).join("\n")
    return rest.trim() === "" ? text : rest
  }
}
