/**
 * What of a conversation the student reads. What (nearly) all train rows say alike tells nothing: a system message, a question
 * that always comes last, the beginning and the end of the request. It is found once, kept with the model, and left out of
 * every text before its features are counted. What is still too long is read at both ends.
 */
import type { Turn } from "./Text.ts"

export interface Template {
  /** Texts of the user that come last in the conversation, the very last first, and are no request. */
  readonly constants: ReadonlyArray<string>
  /** Of the request. */
  readonly prefix: string
  readonly suffix: string
  /** Empty: there is none. Null: they differ. */
  readonly system: string | null
}

export const nothing: Template = { constants: [], prefix: "", suffix: "", system: null }

/** Rows, and characters of them, by which a template is found; of fewer rows chance would make one. */
export const sample = { rows: 500, characters: 2 ** 22, least: 20 }
/** Share of the rows that have it. */
const nearlyAll = 0.95
/** A dialogue ends with no more questions that are always the same. */
const constantsMax = 3
/** A request without so long a beginning, where the train rows have it, is of another task. */
const tellingCharacters = 24

const isUser = ({ role }: Turn): boolean => role === "user"

/** The text that most have, where nearly all have it. */
const usual = (texts: ReadonlyArray<string>): string | null => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const [text, count] of counts) if (count >= nearlyAll * texts.length) return text
  return null
}

/** What two texts begin with alike. */
const commonLength = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

/** The longest beginning that nearly all texts share: in their order, the first and the last of those that share it. */
const beginningOf = (texts: ReadonlyArray<string>): string => {
  const ordered = texts.toSorted((a, b) => (a < b ? -1 : Number(a > b)))
  const reach = Math.ceil(nearlyAll * ordered.length) - 1
  let longest = ""
  for (let from = 0; from + reach < ordered.length; from++) {
    const length = commonLength(ordered[from]!, ordered[from + reach]!)
    if (length > longest.length) longest = ordered[from]!.slice(0, length)
  }
  return longest
}

const reversed = (text: string): string => [...text].reverse().join("")

/** Cut back to where a word ends: half a word that is common says something of the other half. */
const prefixOf = (texts: ReadonlyArray<string>): string => /^[\s\S]*[\s:>"'`)\]}]/u.exec(beginningOf(texts))?.[0] ?? ""
const suffixOf = (texts: ReadonlyArray<string>): string =>
  /[\s<"'`([{][\s\S]*$/u.exec(reversed(beginningOf(texts.map(reversed))))?.[0] ?? ""

/** The last turn of the user, but for constants; where there is no other, the constant itself. */
const requestAt = (turns: ReadonlyArray<Turn>, constants: ReadonlyArray<string>): number => {
  const asked = turns.findLastIndex((turn) => isUser(turn) && !constants.includes(turn.text))
  return asked === -1 ? turns.findLastIndex(isUser) : asked
}

const within = (text: string, { prefix, suffix }: Template): string => {
  const rest = prefix !== "" && text.startsWith(prefix) ? text.slice(prefix.length) : text
  return suffix !== "" && rest.endsWith(suffix) ? rest.slice(0, rest.length - suffix.length) : rest
}

/** What nearly all of these conversations say alike, in whatever order they come. */
export const find = (rows: ReadonlyArray<ReadonlyArray<Turn>>): Template => {
  if (rows.length < sample.least) return nothing
  const system = usual(rows.map((turns) => turns.find(({ role }) => role === "system")?.text ?? ""))
  const constants: Array<string> = []
  const asked = () => rows.map((turns) => turns[requestAt(turns, constants)]?.text ?? "")
  while (constants.length < constantsMax && rows.every((turns) => turns.filter(isUser).length > constants.length + 1)) {
    const constant = usual(asked())
    if (constant === null) break
    constants.push(constant)
  }
  const prefix = prefixOf(asked())
  const suffix = suffixOf(asked().map((text) => within(text, { ...nothing, prefix })))
  return { constants, prefix, suffix, system }
}

export interface Read {
  readonly turns: ReadonlyArray<Turn>
  /** Its middle is left out, for it is too long. */
  readonly isCut: boolean
  /** It has what the train rows say alike, or they say nothing alike that would tell. */
  readonly isFramed: boolean
}

const ends = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, Math.ceil(max / 2))} ${text.slice(text.length - Math.floor(max / 2) + 1)}`

export const read = (turns: ReadonlyArray<Turn>, template: Template, charactersMax: number): Read => {
  const at = requestAt(turns, template.constants)
  const whole = turns[at]?.text ?? ""
  const rest = within(whole, template)
  const isTelling = template.prefix.length >= tellingCharacters
  const systems = turns.filter(({ role }) => role === "system")
  const isForeign =
    template.system !== null && systems.length > 0 && systems.every(({ text }) => text !== template.system)
  const kept = turns.flatMap((turn, index): ReadonlyArray<Turn> => {
    if (index === at) return [{ role: turn.role, text: ends(rest, charactersMax) }]
    if (isUser(turn) && template.constants.includes(turn.text)) return []
    if (turn.role === "system" && turn.text === template.system) return []
    return [{ role: turn.role, text: turn.text.slice(0, charactersMax) }]
  })
  return {
    turns: kept,
    isCut: rest.length > charactersMax,
    isFramed: !isForeign && (!isTelling || whole.startsWith(template.prefix))
  }
}
