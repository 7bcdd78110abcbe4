/**
 * Detects answer fields that copy numbers from the request or locate characters in the request text. Copied numbers never count as
 * labels, even if values repeat. Score scales and numbered categories in every prompt stay labels, because requests with other answers
 * contain the same numbers.
 */
import * as JsonFields from "./JsonFields.ts"

/** The name of an answer without fields. */
const whole = ""

/** Fewer rows, or fewer numbers than a scale from 0 to 10 has, say nothing. */
const rowsMin = 40
const differentMin = 12
/** Beyond it a set is open anyway. */
const differentMax = 10_000
/** Answers with more field names are maps with names of their own, and each field takes some kilobytes. */
const fieldsMax = 1_000
/** Minimum share of rows with the number in their own request, and maximum share by chance: every third position ends a word. */
const mostly = 0.9
const byChance = 0.6
/** A request is read up to this character; offsets may count from a text up to `shiftMax` characters behind its beginning, or from 1. */
const charactersMax = 10_000
const shiftMax = 1_000
const shiftMin = -1

const number = /^"?(-?\d+(?:\.\d+)?)"?$/u
const numbersIn = /\d+(?:\.\d+)?/gu
const word = /[\p{L}\p{M}\p{N}]+/gu

interface Field {
  rows: number
  readonly values: Map<string, number>
  /** Rows whose request has the number. */
  standing: number
  /** Rows with the beginning or end of a word at each distance behind the number. */
  readonly distances: Uint32Array
}

export interface Observer {
  readonly add: (request: string, answer: string) => void
  /** By name, in any order of the rows. */
  readonly fields: () => ReadonlySet<string>
}

const normal = (digits: string): string => String(Number(digits))

/** The numbers of an answer by field. */
const numbersOf = (answer: string): ReadonlyArray<readonly [name: string, value: string]> => {
  const read = JsonFields.read(answer)
  const names = read?.names ?? [whole]
  const values = read?.values ?? [answer.trim()]
  return values.flatMap((value, index) => {
    const digits = number.exec(value)?.[1]
    return digits === undefined ? [] : [[names[index]!, normal(digits)] as const]
  })
}

const boundariesOf = (request: string): ReadonlySet<number> => {
  const boundaries = new Set<number>()
  for (const { 0: text, index } of request.matchAll(word)) boundaries.add(index).add(index + text.length)
  return boundaries
}

const increment = (counts: Map<string, number>, key: string) => {
  if (counts.size < differentMax || counts.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Adds a row's number to its field. */
const note = (field: Field, value: string, request: ReadonlySet<string>, boundaries: ReadonlySet<number>) => {
  field.rows++
  increment(field.values, value)
  if (request.has(value)) field.standing++
  const from = Number(value)
  if (!Number.isInteger(from) || from < 0) return
  for (const boundary of boundaries) {
    const at = boundary - from - shiftMin
    if (at >= 0 && at < field.distances.length) field.distances[at] = field.distances[at]! + 1
  }
}

/** What the requests of all rows have: how many have a number, and a boundary at a place. */
interface Requests {
  readonly numbers: Map<string, number>
  readonly boundaries: Uint32Array
}

/** Whether nearly all rows have in their own request what the requests of other rows have less often. */
const isTaken = ({ rows, values }: Field, count: number, all: number, among: (value: string) => number): boolean => {
  if (count < rows * mostly) return false
  const expected = [...values].reduce((sum, [value, times]) => sum + (times * among(value)) / all, 0)
  return expected <= rows * byChance
}

const isCopied = (field: Field, { numbers }: Requests, all: number): boolean =>
  isTaken(field, field.standing, all, (value) => numbers.get(value) ?? 0)

const isPosition = (field: Field, { boundaries }: Requests, all: number): boolean =>
  field.distances.some((count, at) =>
    isTaken(field, count, all, (value) => boundaries[Number(value) + at + shiftMin] ?? 0)
  )

/** Mutable, and held by one. Reads a request only for an answer with a number. */
export const observer = (): Observer => {
  const fields = new Map<string, Field>()
  const requests: Requests = { numbers: new Map(), boundaries: new Uint32Array(charactersMax + 1) }
  let rows = 0
  let isMap = false
  const fieldOf = (name: string): Field => {
    const known = fields.get(name)
    if (known !== undefined) return known
    const fresh = { rows: 0, values: new Map(), standing: 0, distances: new Uint32Array(shiftMax - shiftMin + 1) }
    fields.set(name, fresh)
    return fresh
  }
  return {
    add: (request, answer) => {
      const numbers = numbersOf(answer)
      if (isMap || numbers.length === 0) return
      rows++
      const read = request.slice(0, charactersMax)
      const standing = new Set(Array.from(read.match(numbersIn) ?? [], normal))
      for (const value of standing) increment(requests.numbers, value)
      const boundaries = boundariesOf(read)
      for (const at of boundaries) requests.boundaries[at] = requests.boundaries[at]! + 1
      for (const [name, value] of numbers) note(fieldOf(name), value, standing, boundaries)
      isMap = fields.size > fieldsMax
      if (isMap) fields.clear()
    },
    fields: () =>
      new Set(
        [...fields]
          .filter(
            ([, field]) =>
              field.rows >= rowsMin &&
              field.values.size >= differentMin &&
              (isCopied(field, requests, rows) || isPosition(field, requests, rows))
          )
          .map(([name]) => name)
      )
  }
}
