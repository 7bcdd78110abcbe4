/**
 * Encodes parameters and decodes columns. Each parameter carries its type, so that a statement's text alone names its
 * prepared plan; `bigint` columns are read as numbers, because ours are milliseconds and counters, far below 2^53.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { ValueSink } from "@effect/sql-pg/PgProtocol"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"
import type { Fragment } from "effect/sql/Statement"

const failure = (message: string) => Result.fail(new PgTypes.CodecError({ message }))

const readInt8 = (bytes: Uint8Array, offset: number, size: number): Result.Result<number, PgTypes.CodecError> => {
  if (size !== 8) return failure(`A bigint has 8 bytes, not ${size}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 8)
  const value = view.getInt32(0) * 2 ** 32 + view.getUint32(4)
  return Number.isSafeInteger(value) ? Result.succeed(value) : failure("A bigint is outside of the safe integers")
}

const upperHalf = (value: number): number => Math.floor(value / 2 ** 32)

const encodeInt8 = (value: number | bigint): Result.Result<Uint8Array, PgTypes.CodecError> => {
  const view = new DataView(new ArrayBuffer(8))
  if (typeof value === "bigint") view.setBigInt64(0, value)
  else {
    view.setInt32(0, upperHalf(value))
    view.setUint32(4, value - upperHalf(value) * 2 ** 32)
  }
  return Result.succeed(new Uint8Array(view.buffer))
}

/** Without bytes of its own: a batch of captured calls has thousands. */
const writeInt8 = (sink: ValueSink, value: number | bigint): Result.Result<void, PgTypes.CodecError> => {
  if (typeof value === "bigint") sink.bigInt64(value)
  else {
    sink.int32(upperHalf(value))
    sink.int32(value - upperHalf(value) * 2 ** 32)
  }
  return Result.void
}

/** The codecs of our connections. */
export const registry: PgTypes.Registry = PgTypes.makeRegistry()
registry.register<number | bigint>(
  PgTypes.OID.int8,
  { encode: encodeInt8, write: writeInt8, decode: (bytes) => readInt8(bytes, 0, bytes.length), read: readInt8 },
  { arrayOid: PgTypes.OID.int8Array }
)

/** Postgres text holds no NUL; what has one can only be looked for in vain. */
export const withoutNul = (value: string): string => (value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value)

const array =
  <A>(elementOid: number) =>
  (values: ReadonlyArray<A>): PgTypes.Parameter =>
    Result.getOrThrow(PgTypes.array(values, elementOid, registry))

export const text = (value: string): PgTypes.Parameter => PgTypes.text(withoutNul(value))

export const textOrNull = (value: string | null): PgTypes.Parameter =>
  PgTypes.text(value === null ? null : withoutNul(value))

export const int = (value: number): PgTypes.Parameter => PgTypes.int8(BigInt(value))

/**
 * A value that the planner does not see. Where a plan for one value would be taken to be cheaper than one for any, Postgres plans
 * the statement each time, which takes longer than a look-up.
 */
export const hideFromPlanner = (sql: PgClient.PgClient, value: PgTypes.Parameter): Fragment => sql`(SELECT ${value})`

/**
 * A limit hidden from the planner, which then plans for the first few rows of many in index order. For a visible limit
 * above its estimate (near zero for a vacuumed table that was never analyzed), the planner would read and sort all rows.
 */
export const few = (sql: PgClient.PgClient, limit: number): Fragment => hideFromPlanner(sql, int(limit))

const textArray = array<string>(PgTypes.OID.text)
export const texts = (values: ReadonlyArray<string>): PgTypes.Parameter => textArray(values.map(withoutNul))
const nullableTextArray = array<string | null>(PgTypes.OID.text)
export const textsOrNull = (values: ReadonlyArray<string | null>): PgTypes.Parameter =>
  nullableTextArray(values.map((value) => (value === null ? null : withoutNul(value))))
export const ints = array<number | null>(PgTypes.OID.int8)
export const floats = array<number | null>(PgTypes.OID.float8)
export const bools = array<boolean>(PgTypes.OID.bool)
export const boolsOrNull = array<boolean | null>(PgTypes.OID.bool)
export const jsons = array<unknown>(PgTypes.OID.json)
export const float = (value: number): PgTypes.Parameter => PgTypes.float8(value)
export const { bytea, json } = PgTypes

/**
 * The least and the greatest text, in the byte order of the "C" collation, which equals JavaScript's order for our ASCII
 * ids.
 */
export const bounds = (values: ReadonlyArray<string>): readonly [first: PgTypes.Parameter, last: PgTypes.Parameter] => {
  let [first = ""] = values
  let last = first
  for (const value of values) {
    if (value < first) first = value
    if (value > last) last = value
  }
  return [text(first), text(last)]
}

/** Sorts after every stored text in the byte order of the "C" collation: the end of an unbounded list. */
export const lastText = "\u{10ffff}"
/** Before and after every number we store. */
export const firstInt = Number.MIN_SAFE_INTEGER
export const lastInt = Number.MAX_SAFE_INTEGER
