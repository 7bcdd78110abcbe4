/**
 * Selects the part of a conversation that the student reads. Text that nearly all train rows share carries no
 * information: a system message, a constant last question, the beginning and end of the request. Training finds this
 * template once, keeps it with the model, and removes it from every text before features are counted. Of a text that is
 * still too long, the student reads both ends.
 */
import type { Turn } from "./Text.ts"

export interface Template {
  /** Constant user messages after the request, the last one first. */
  readonly constants: ReadonlyArray<string>
  /** Of the request. */
  readonly prefix: string
  readonly suffix: string
  /** Empty: there is none. Null: they differ. */
  readonly system: string | null
}

export const nothing: Template = { constants: [], prefix: "", suffix: "", system: null }

/** The rows and characters that a template is found in. With fewer than `least` rows, chance would make a template. */
export const sample = { rows: 500, characters: 2 ** 22, least: 20 }
/** The share of rows that must contain a template text. */
const nearlyAll = 0.95
/** The maximum of constant messages after the request. */
const constantsMax = 3
/** A request without a template prefix of this length belongs to another task. */
const tellingCharacters = 24

const isUser = ({ role }: Turn): boolean => role === "user"

/** The most frequent text, if nearly all texts equal it. */
const usual = (texts: ReadonlyArray<string>): string | null => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const [text, count] of counts) if (count >= nearlyAll * texts.length) return text
  return null
}

/** The length of the common beginning of two texts. */
const commonLength = (one: string, other: string): number => {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}

/**
 * The longest beginning that nearly all texts share: the common beginning of the first and the last of a run of sorted
 * texts.
 */
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

/** Cuts the beginning back to the end of a word, because half a word would hint at its other half. */
const prefixOf = (texts: ReadonlyArray<string>): string => /^[\s\S]*[\s:>"'`)\]}]/u.exec(beginningOf(texts))?.[0] ?? ""
const suffixOf = (texts: ReadonlyArray<string>): string =>
  /[\s<"'`([{][\s\S]*$/u.exec(reversed(beginningOf(texts.map(reversed))))?.[0] ?? ""

/** The last user message outside of the constants, or the last user message if all are constants. */
const requestAt = (turns: ReadonlyArray<Turn>, constants: ReadonlyArray<string>): number => {
  const asked = turns.findLastIndex((turn) => isUser(turn) && !constants.includes(turn.text))
  return asked === -1 ? turns.findLastIndex(isUser) : asked
}

const within = (text: string, { prefix, suffix }: Template): string => {
  const rest = prefix !== "" && text.startsWith(prefix) ? text.slice(prefix.length) : text
  return suffix !== "" && rest.endsWith(suffix) ? rest.slice(0, rest.length - suffix.length) : rest
}

/** Finds the text that nearly all conversations share, in any order of them. */
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

export interface ReadText {
  readonly turns: ReadonlyArray<Turn>
  /** Whether the middle was left out because the text is too long. */
  readonly isCut: boolean
  /** Whether the text contains the template, or the template is too short to decide. */
  readonly isFramed: boolean
}

const ends = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, Math.ceil(max / 2))} ${text.slice(text.length - Math.floor(max / 2) + 1)}`

export const read = (turns: ReadonlyArray<Turn>, template: Template, charactersMax: number): ReadText => {
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
