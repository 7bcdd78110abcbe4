/** Figures as people read them. A dash where there is none. */
const dash = "–"

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

/** At least cents; below a cent, two significant digits. */
const moneyOf = (value: number) => {
  const digits = value === 0 || Math.abs(value) >= 0.01 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(Math.abs(value))))
  return new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: digits }).format(
    value
  )
}

type Maybe = number | null | undefined

const orDash =
  (show: (value: number) => string) =>
  (value: Maybe): string =>
    value === null || value === undefined ? dash : show(value)

export const usd = orDash(moneyOf)
export const share = orDash((value) => `${number.format(100 * value)} %`)
export const count = orDash((value) => whole.format(value))
export const score = orDash((value) => value.toFixed(3))
export const millis = orDash((value) =>
  value < 1_000 ? `${number.format(value)} ms` : `${number.format(value / 1_000)} s`
)
/** For whole milliseconds: a duration below one is not zero. */
export const wholeMillis = orDash((value) => (value === 0 ? "< 1 ms" : millis(value)))
/** "1 row", "2 rows". */
export const quantity = (value: number, one: string, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`
export const seconds = orDash((value) => `${number.format(value)} s`)

const units = ["B", "KiB", "MiB", "GiB"] as const
export const bytes = orDash((value) => {
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10))
  return `${number.format(value / 1024 ** power)} ${units[power]}`
})

interface Interval {
  readonly low: number
  readonly high: number
}

export const intervalText = (interval: Interval | null | undefined, show: (value: number) => string): string =>
  interval === null || interval === undefined ? dash : `${show(interval.low)} to ${show(interval.high)}`

/** A state of the API: the documentation writes `dead_lettered` as one word, with a hyphen. */
export const wordOfState = (state: string): string =>
  state === "dead_lettered" ? "dead-lettered" : state.replaceAll("_", " ")

/** The opening of a text, on one line. */
export { openingOf as opening } from "../large/Openings.ts"
