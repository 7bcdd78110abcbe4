/**
 * Part of Blobs: parts and their pieces. A part is open until it is sealed: then it has a digest, and its first `bytes`
 * count.
 */
import type { BlobRef, Part } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { list, type Sql, sql } from "../sqlite/Sql.ts"

const Id = Schema.Struct({ id: Schema.Int })
const PartRow = Schema.Struct({ id: Schema.Int, bytes: Schema.Int })
const Piece = Schema.Struct({ bytes: Schema.Uint8Array })

const isOpen = (partition: Partition, part: string): Sql =>
  sql`partition = ${partition.key} AND id = CAST(${part} AS INTEGER) AND sha256 IS NULL`

const gone = (operation: string, what: string) => new StorageError({ operation, cause: new Error(`${what} is gone`) })

const keptOf = (connection: Connection, partition: Partition, part: string): number =>
  connection.first(PartRow, sql`SELECT id, bytes FROM parts WHERE ${isOpen(partition, part)}`)?.bytes ?? 0

/** Returns whether the part is still open. */
const append = (
  connection: Connection,
  { now, part, partition }: { readonly partition: Partition; readonly part: string; readonly now: Millis },
  pieces: ReadonlyArray<Uint8Array>
): boolean => {
  for (const piece of pieces) {
    const grown = connection.run(sql`
      UPDATE parts SET bytes = bytes + ${piece.length}, written_at = ${now} WHERE ${isOpen(partition, part)}`)
    if (grown === 0) return false
    connection.run(sql`
      INSERT INTO pieces SELECT ${part}, coalesce(max(place), 0) + 1, ${piece} FROM pieces WHERE part = ${part}`)
  }
  return true
}

/** Returns whether all parts exist. Existing content stays unchanged, and the parts are removed. */
const seal = (
  connection: Connection,
  partition: Partition,
  { now, parts, ref }: { readonly parts: ReadonlyArray<Part>; readonly ref: BlobRef; readonly now: Millis }
): boolean => {
  if (parts.some(({ bytes, id }) => keptOf(connection, partition, id) < bytes)) return false
  const content = sql`partition = ${partition.key} AND sha256 = ${ref.sha256}`
  const isThere = connection.run(sql`UPDATE contents SET put_at = ${now} WHERE ${content}`) === 1
  if (!isThere) connection.run(sql`INSERT INTO contents VALUES (${partition.key}, ${ref.sha256}, ${now})`)
  for (const [place, { bytes, id }] of parts.entries()) {
    connection.run(
      isThere
        ? sql`DELETE FROM parts WHERE ${isOpen(partition, id)}`
        : sql`
          UPDATE parts SET sha256 = ${ref.sha256}, place = ${place}, bytes = ${bytes}
          WHERE ${isOpen(partition, id)}`
    )
  }
  return true
}

export const make = (db: Database) => {
  const piece = (partition: Partition, part: string, place: number) =>
    db.read("Blobs.get", (connection) =>
      connection.first(
        Piece,
        sql`
        SELECT pieces.bytes FROM pieces JOIN parts ON parts.id = part
        WHERE part = CAST(${part} AS INTEGER) AND pieces.place = ${place} AND partition = ${partition.key}`
      )
    )

  return {
    begin: (partition: Partition, now: Millis) =>
      db.write("Blobs.begin", (connection) => {
        const old = now - Limits.partQuietMillis
        connection.run(sql`DELETE FROM parts WHERE sha256 IS NULL AND written_at < ${old}`)
        const begun = sql`INSERT INTO parts (partition, written_at) VALUES (${partition.key}, ${now}) RETURNING id`
        return String(connection.first(Id, begun)?.id)
      }),
    append: (partition: Partition, part: string, pieces: ReadonlyArray<Uint8Array>, now: Millis) =>
      Effect.filterOrFail(
        db.write("Blobs.write", (connection) => append(connection, { partition, part, now }, pieces)),
        (isWritten) => isWritten,
        () => gone("Blobs.write", "The part")
      ),
    storedBytes: (partition: Partition, part: string) =>
      db.read("Blobs.storedBytes", (connection) => keptOf(connection, partition, part)),
    seal: (partition: Partition, parts: ReadonlyArray<Part>, ref: BlobRef, now: Millis) =>
      Effect.filterOrFail(
        db.write("Blobs.seal", (connection) => seal(connection, partition, { parts, ref, now })),
        (isSealed) => isSealed,
        () => gone("Blobs.seal", "A part")
      ).pipe(Effect.asVoid),
    discard: (partition: Partition, parts: ReadonlyArray<string>) =>
      db.write("Blobs.discard", (connection) => {
        connection.run(sql`
          DELETE FROM parts
          WHERE partition = ${partition.key} AND sha256 IS NULL AND CAST(id AS TEXT) IN ${list(parts)}`)
      }),
    ofContent: (partition: Partition, sha256: string) =>
      db.read("Blobs.get", (connection) =>
        connection
          .all(
            PartRow,
            sql`SELECT id, bytes FROM parts WHERE partition = ${partition.key} AND sha256 = ${sha256} ORDER BY place`
          )
          .map(({ bytes, id }): Part => ({ id: String(id), bytes }))
      ),
    /**
     * Streams the first bytes of a part, piece by piece; fails if the part is removed meanwhile; empty for a missing part.
     */
    read: (partition: Partition, { bytes, id }: Part): Stream.Stream<Uint8Array, StorageError> =>
      Stream.paginate({ place: 1, left: bytes }, ({ left, place }) =>
        Effect.flatMap(left <= 0 ? Effect.succeed(undefined) : piece(partition, id, place), (found) => {
          if (found === undefined && left > 0 && place > 1) return Effect.fail(gone("Blobs.get", "The content"))
          const read = found === undefined ? [] : [found.bytes.subarray(0, left)]
          const rest = left - (found?.bytes.length ?? left)
          return Effect.succeed([
            read,
            rest > 0 ? Option.some({ place: place + 1, left: rest }) : Option.none()
          ] as const)
        })
      )
  }
}
