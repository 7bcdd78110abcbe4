/**
 * Blobs: contents in pieces. Bytes go into a part, each piece in a transaction of its own; a part that is sealed belongs to a
 * content and does not change any more.
 *
 *     begin ──► part ── write: piece, piece, … ──► seal: the parts, in order, are the content of a digest
 *                 └── discard, or a day without a write: gone
 */
import { createHash } from "node:crypto"
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { Limits } from "@limbeck/core/Limits"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Database } from "../sqlite/Database.ts"
import { ifPresent, sql } from "../sqlite/Sql.ts"
import * as BlobParts from "./BlobParts.ts"
import { Cutter } from "./Cutter.ts"

const One = Schema.Struct({ one: Schema.Literal(1) })
const Content = Schema.Struct({ partition: Schema.String, sha256: Schema.String })

/** Contents that one step of `quiet` reads. */
const contentsPerStep = 500

export const make = (db: Database): Blobs["Service"] => {
  const parts = BlobParts.make(db)

  /** Keeps received bytes even if the content fails. */
  const write = <E, R>(partition: Partition, part: string, content: Stream.Stream<Uint8Array, E, R>) =>
    Effect.suspend(() => {
      const cutter = new Cutter(Limits.blobPieceBytes)
      const hash = createHash("sha256")
      const keep = (pieces: ReadonlyArray<Uint8Array>) =>
        pieces.length === 0
          ? Effect.void
          : Effect.flatMap(Clock.currentTimeMillis, (now) => parts.append(partition, part, pieces, now))
      const written = Stream.runForEach(content, (chunk) => {
        hash.update(chunk)
        return keep(cutter.add(chunk))
      })
      const last = Effect.suspend(() => keep(cutter.rest()))
      return Effect.onError(written, () => Effect.ignore(last)).pipe(
        Effect.andThen(last),
        Effect.map((): BlobRef => ({ sha256: hash.digest("hex"), bytes: cutter.bytes }))
      )
    })

  const begin = (partition: Partition) => Effect.flatMap(Clock.currentTimeMillis, (now) => parts.begin(partition, now))

  const seal = (partition: Partition, sealed: ReadonlyArray<Part>, ref: BlobRef) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => parts.seal(partition, sealed, ref, now))

  const digest = Effect.fnUntraced(function* (partition: Partition, wanted: ReadonlyArray<Part>) {
    const hash = createHash("sha256")
    let bytes = 0
    for (const part of wanted) {
      yield* Stream.runForEach(parts.read(partition, part), (piece) =>
        Effect.sync(() => {
          hash.update(piece)
          bytes += piece.length
        })
      )
    }
    return { sha256: hash.digest("hex"), bytes }
  })

  const quietAfter = (before: Millis, last: typeof Content.Type | null) =>
    db.read("Blobs.quiet", (connection) =>
      connection.all(
        Content,
        sql`
        SELECT partition, sha256 FROM contents WHERE put_at < ${before}
          AND ${ifPresent(last, ({ partition, sha256 }) => sql`(partition, sha256) > (${partition}, ${sha256})`)}
        ORDER BY partition, sha256 LIMIT ${contentsPerStep}`
      )
    )

  return Blobs.of({
    put: Effect.fnUntraced(function* (partition, content) {
      const part = yield* begin(partition)
      const whole = Effect.tap(write(partition, part, content), (ref) =>
        seal(partition, [{ id: part, bytes: ref.bytes }], ref)
      )
      return yield* Effect.onError(whole, () => Effect.ignore(parts.discard(partition, [part])))
    }),
    get: (partition, sha256) =>
      Stream.unwrap(
        Effect.map(parts.ofContent(partition, sha256), (found) =>
          Stream.flatMap(Stream.fromIterable(found), (part) => parts.read(partition, part))
        )
      ),
    exists: (partition, sha256) =>
      db.read("Blobs.exists", (connection) => {
        const there = sql`partition = ${partition.key} AND sha256 = ${sha256}`
        return connection.first(One, sql`SELECT 1 AS one FROM contents WHERE ${there}`) !== undefined
      }),
    begin,
    write,
    storedBytes: (partition, part, most = Number.POSITIVE_INFINITY) =>
      Effect.map(parts.storedBytes(partition, part), (bytes) => Math.min(bytes, most)),
    digest,
    seal,
    discard: parts.discard,
    quiet: (before) =>
      Stream.map(
        Stream.paginate(null as typeof Content.Type | null, (last) =>
          Effect.map(quietAfter(before, last), (found) => [found, Option.fromUndefinedOr(found.at(-1))])
        ),
        ({ partition, sha256 }) => ({ partition: fromKey(partition), sha256 })
      ),
    removeIfQuiet: (partition, sha256, before) =>
      db.write("Blobs.removeIfQuiet", (connection) => {
        const quiet = sql`partition = ${partition.key} AND sha256 = ${sha256} AND put_at < ${before}`
        return connection.run(sql`DELETE FROM contents WHERE ${quiet}`) === 1
      })
  })
}
