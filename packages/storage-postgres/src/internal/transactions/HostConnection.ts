/**
 * A connection of the host, used like ours: our statements, with parameters as text and types named in the statement;
 * results are read as on our own connections, whatever settings the host has.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type { HostClient, HostStatement } from "@limbeck/core/storage/HostTransaction"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { registry } from "../connection/PostgresTypes.ts"

const { OID } = PgTypes

/** `int8Array` → `int8[]` */
const typeNames = new Map<number, string>(
  Object.entries(OID).map(([name, oid]) => [oid, name.endsWith("Array") ? `${name.slice(0, -"Array".length)}[]` : name])
)

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)
}

const isJson = (oid: number): boolean => oid === OID.json || oid === OID.jsonb
const isJsonArray = (oid: number): boolean => oid === OID.jsonArray || oid === OID.jsonbArray

const literalOf = (values: ReadonlyArray<unknown>, write: (value: unknown) => string): string => {
  const elements = values.map((value) => (value === null ? "NULL" : `"${write(value).replace(/["\\]/g, "\\$&")}"`))
  return `{${elements.join(",")}}`
}

interface Parameter {
  readonly text: string | null
  /** Null: the statement says what it is. */
  readonly type: string | null
}

const parameterOf = (value: unknown): Parameter => {
  if (value === null || typeof value === "string") return { text: value, type: null }
  if (typeof value === "boolean") return { text: String(value), type: "bool" }
  if (value instanceof Uint8Array) return { text: textOf(value), type: "bytea" }
  if (!PgTypes.isParameter(value)) throw new Error(`A statement has a parameter of no known type: ${String(value)}`)
  const type = typeNames.get(value.oid) ?? null
  if (value.value === null) return { text: null, type }
  if (isJson(value.oid)) return { text: JSON.stringify(value.value), type }
  if (!Array.isArray(value.value)) return { text: textOf(value.value), type }
  return { text: literalOf(value.value, isJsonArray(value.oid) ? JSON.stringify : textOf), type }
}

const readers = new Map<number, (text: string) => unknown>([
  [OID.bool, (text) => text === "t"],
  [OID.bytea, (text) => new Uint8Array(Buffer.from(text.slice(2), "hex"))],
  [OID.json, (text) => JSON.parse(text)],
  [OID.jsonb, (text) => JSON.parse(text)],
  ...[OID.int2, OID.int4, OID.int8, OID.oid, OID.float4, OID.float8].map((oid) => [oid, Number] as const)
])

/** A client that asks for binary answers gets what our own connections get. */
const types: HostStatement["types"] = {
  getTypeParser: (oid, format) => {
    if (format === "binary") return (bytes) => Result.getOrThrow(PgTypes.decode(bytes, oid, 1, registry))
    return readers.get(oid) ?? ((text) => text)
  }
}

const statementOf = (sql: string, values: ReadonlyArray<unknown>): HostStatement => {
  const parameters = values.map(parameterOf)
  const text = sql.replace(/\$(\d+)/g, (place, number) => {
    const type = parameters[Number(number) - 1]?.type ?? null
    return type === null ? place : `${place}::${type}`
  })
  return { text, values: parameters.map((parameter) => parameter.text), types }
}

export class HostConnection implements Connection {
  /** The first error of the database: later errors are only its consequences. */
  refused: unknown

  private readonly client: HostClient

  constructor(client: HostClient) {
    this.client = client
  }

  private query(statement: HostStatement): Effect.Effect<{ readonly rows: ReadonlyArray<unknown> }, SqlError> {
    return Effect.tryPromise({
      try: async () => this.client.query(statement),
      catch: (cause) => {
        this.refused ??= cause
        return new SqlError({
          reason: new UnknownError({ cause, message: "The host's connection refused a statement" })
        })
      }
    })
  }

  private rows(sql: string, values: ReadonlyArray<unknown>) {
    return Effect.map(
      Effect.suspend(() => this.query(statementOf(sql, values))),
      ({ rows }) => rows
    )
  }

  execute(sql: string, values: ReadonlyArray<unknown>) {
    return this.rows(sql, values)
  }

  executeUnprepared(sql: string, values: ReadonlyArray<unknown>) {
    return this.rows(sql, values)
  }

  executeRaw(sql: string, values: ReadonlyArray<unknown>) {
    return Effect.suspend(() => this.query(statementOf(sql, values)))
  }

  executeValues(sql: string, values: ReadonlyArray<unknown>) {
    return Effect.map(
      Effect.suspend(() => this.query({ ...statementOf(sql, values), rowMode: "array" })),
      // In this mode a row is an array.
      ({ rows }) => rows as ReadonlyArray<ReadonlyArray<unknown>>
    )
  }

  executeValuesUnprepared(sql: string, values: ReadonlyArray<unknown>) {
    return this.executeValues(sql, values)
  }

  executeStream(sql: string, values: ReadonlyArray<unknown>) {
    return Stream.fromIterableEffect(this.rows(sql, values))
  }
}
