/** Values as text: how a variable is read, and how the documentation shows a default. */
import * as Result from "effect/Result"

export interface Notation<A> {
  /** Of a text that is neither empty nor has white space around it. Fails with a sentence that lacks its subject. */
  readonly read: (text: string) => Result.Result<A, string>
  /** Markdown. */
  readonly show: (value: A) => string
}

const code = (text: string): string => `\`${text}\``

export const text: Notation<string> = { read: Result.succeed, show: code }

/** `absent` describes a setting without a value. */
export const optional = <A>({ read, show }: Notation<A>, absent = "none"): Notation<A | null> => ({
  read,
  show: (value) => (value === null ? absent : show(value))
})

/** `off` stands for null. */
export const orOff = <A>({ read, show }: Notation<A>): Notation<A | null> => ({
  read: (text) => (text === "off" ? Result.succeed(null) : read(text)),
  show: (value) => (value === null ? code("off") : show(value))
})

/** A notation that checks its text; `rule` is the sentence of a wrong text. */
export const fromParser = <A>(
  parse: (text: string) => A | undefined,
  rule: string,
  write: (value: A) => string = String
): Notation<A> => ({
  read: (text) => {
    const value = parse(text)
    return value === undefined ? Result.fail(rule) : Result.succeed(value)
  },
  show: (value) => code(write(value))
})

/** Of what: `seconds`, for example. */
export const wholeNumber = (from: number, to: number, of?: string): Notation<number> =>
  fromParser(
    (text) => {
      const value = Number(text)
      return /^\d{1,15}$/.test(text) && value >= from && value <= to ? value : undefined
    },
    `must be a whole number ${of === undefined ? "" : `of ${of} `}from ${from} to ${to}`
  )

/** Days of a history without an end by default. */
export const daysOrForEver: Notation<number | null> = optional(
  fromParser((text) => {
    const days = Number(text)
    return /^\d{1,6}$/.test(text) && days > 0 ? days : undefined
  }, "must be a whole number of days, at least 1"),
  "for ever"
)

/** One word for each value. */
export const oneOf = <A>(words: Readonly<Record<string, A>>): Notation<A> => ({
  read: (text) =>
    Object.hasOwn(words, text)
      ? Result.succeed(words[text] as A)
      : Result.fail(`must be one of ${Object.keys(words).join(", ")}, not "${text}"`),
  show: (value) => code(Object.keys(words).find((word) => words[word] === value) ?? String(value))
})

/** Words with commas between. `mistakeIn` returns a sentence without its subject, or undefined. */
export const list = (
  mistakeIn: (words: ReadonlyArray<string>) => string | undefined
): Notation<ReadonlyArray<string>> => ({
  read: (text) => {
    const words = text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "")
    const mistake = mistakeIn(words)
    return mistake === undefined ? Result.succeed(words) : Result.fail(mistake)
  },
  show: (words) => (words.length === 0 ? "empty" : code(words.join(",")))
})

/** Without the slash at its end. */
export const url = (...protocols: ReadonlyArray<string>): Notation<string> =>
  fromParser(
    (text) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text.replace(/\/$/, "") : undefined),
    `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`
  )
