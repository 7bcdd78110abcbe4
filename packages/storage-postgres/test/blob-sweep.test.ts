/**
 * The rest of a dead process's put, and its removal. The storages under test also sweep at their start: the test asks what
 * remains after a sweep, not who removed it.
 */
import { assert, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { Limits } from "@limbeck/core/Limits"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as BlobSweep from "../src/internal/blobs/BlobSweep.ts"
import { twoPools } from "./Database.ts"

const content = (size: number) => new Uint8Array(size).fill(1)
const megabyte = 1024 * 1024

const open = Effect.gen(function* () {
  const { one, sql } = yield* twoPools
  const blobs = Context.get(one, Blobs)
  const uploads = Effect.flatMap(
    sql`SELECT DISTINCT upload FROM blob_pieces ORDER BY upload`,
    Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ upload: Schema.Int })))
  ).pipe(Effect.map((rows) => rows.map(({ upload }) => upload)))
  /** A put that has written whole pieces and continues on request; `ended` is its end. */
  const putting = Effect.fnUntraced(function* (tail = 5) {
    const [written, more] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const wait = Stream.drain(
      Stream.fromEffect(Deferred.succeed(written, undefined).pipe(Effect.andThen(Deferred.await(more))))
    )
    const whole = Stream.make(content(8 * Limits.blobPieceBytes)).pipe(
      Stream.concat(wait),
      Stream.concat(Stream.make(content(tail)))
    )
    const partition = Fresh.partition()
    const ended = yield* Effect.forkChild(blobs.put(partition, whole))
    yield* Deferred.await(written)
    return { partition, ended, goOn: Deferred.succeed(more, undefined) }
  })
  return { blobs, sql, uploads, putting, sweep: BlobSweep.sweep(sql) }
})

it.effect("pieces whose put never ended go after a day; what was stored stays", () =>
  Effect.gen(function* () {
    const { blobs, putting, sql, sweep, uploads } = yield* open
    const partition = Fresh.partition()
    const { sha256 } = yield* blobs.put(partition, Stream.make(content(megabyte)))
    yield* putting()
    const [stored = 0, unfinished = 0] = yield* uploads
    // More than one statement removes.
    yield* sql`INSERT INTO blob_pieces (upload, seq, bytes, written_at)
      SELECT upload, seq, '', 0 FROM generate_series(1000, 1024) AS upload, generate_series(0, 2) AS seq`

    yield* TestClock.adjust("1 day")
    yield* sweep
    assert.strictEqual((yield* uploads).length, 27)
    yield* TestClock.adjust("1 milli")
    yield* sweep
    assert.deepStrictEqual(yield* uploads, [stored])
    assert.notStrictEqual(stored, unfinished)
    assert.strictEqual(Buffer.concat(yield* Stream.runCollect(blobs.get(partition, sha256))).length, megabyte)
  })
)

it.effect("a put that still writes is not swept, however long it takes", () =>
  Effect.gen(function* () {
    const { blobs, putting, sql, sweep } = yield* open
    const { ended, goOn, partition } = yield* putting()
    // Its newest piece was written later than the rest.
    yield* sql`UPDATE blob_pieces SET written_at = 10 WHERE seq > 2`
    yield* TestClock.adjust(24 * 3_600_000 + 10)
    yield* sweep
    yield* goOn
    const { sha256 } = yield* Fiber.join(ended)
    assert.isTrue(yield* blobs.exists(partition, sha256))
  })
)

it.effect("a put that slept for a day and was swept fails, and nothing is visible of it", () =>
  Effect.gen(function* () {
    const { blobs, putting, sweep, uploads } = yield* open
    yield* blobs.put(Fresh.partition(), Stream.make(content(1)))
    const others = yield* uploads
    // With nothing more to write, too.
    for (const tail of [5, 0]) {
      const { ended, goOn, partition } = yield* putting(tail)
      yield* TestClock.adjust("2 days")
      yield* sweep
      assert.deepStrictEqual(yield* uploads, others)
      yield* goOn
      assert.strictEqual((yield* Effect.flip(Fiber.join(ended)))._tag, "StorageError")
      assert.deepStrictEqual(yield* uploads, others)
      yield* TestClock.setTime(0)
      const whole = content(8 * Limits.blobPieceBytes + tail)
      const { sha256 } = yield* blobs.put(partition, Stream.make(whole))
      assert.strictEqual(Buffer.concat(yield* Stream.runCollect(blobs.get(partition, sha256))).length, whole.length)
      yield* blobs.removeIfQuiet(partition, sha256, 1)
    }
  })
)
