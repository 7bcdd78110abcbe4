/** Writes the rows of a version as JSON Lines files for a trainer, as storage streams them. */
import * as fs from "node:fs/promises"
import { Row } from "@limbeck/distill/dataset/Row"
import * as RowText from "@limbeck/distill/dataset/RowText"
import type { StageContext, StageFailure, StageRow } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { sample } from "../../internal/HoldoutSample.ts"
import { exists, io } from "./Files.ts"
import type { Place } from "./Place.ts"
import { privateFile } from "./PrivateModes.ts"

/** Rows written at once. */
const batch = 256

/** The prompt is everything before the completion, in either form of a row. */
const questionOf = ({ key, row }: StageRow) => ({
  key,
  messages: RowText.exampleOf(row).prompt,
  ...(row.tools === undefined ? {} : { tools: row.tools }),
  ...(row.metadata === undefined ? {} : { metadata: row.metadata })
})

const lessonOf = (stageRow: StageRow) => ({
  ...questionOf(stageRow),
  completion: RowText.exampleOf(stageRow.row).completion
})

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

const writer = (file: string): Effect.Effect<fs.FileHandle, StageFailure, Scope.Scope> =>
  Effect.acquireRelease(
    io(() => fs.open(file, "w", privateFile)),
    (handle) => Effect.promise(() => handle.close())
  )

/** Writes to a temporary name first, so that a file under its final name is complete. */
const write = (file: string, lines: Stream.Stream<string, StageFailure>): Effect.Effect<void, StageFailure> =>
  Effect.gen(function* () {
    const handle = yield* writer(`${file}.new`)
    yield* Stream.runForEach(Stream.grouped(lines, batch), (many) => io(() => handle.writeFile(many.join(""))))
    yield* io(() => fs.rename(`${file}.new`, file))
  }).pipe(Effect.scoped)

/** Once per run and machine. */
export const writeTrain = Effect.fnUntraced(function* (context: StageContext, place: Place) {
  if (yield* io(() => exists(place.train))) return
  yield* write(
    place.train,
    Stream.map(context.rows("train"), (row) => line(lessonOf(row)))
  )
})

/** The rows that an evaluation asks, found again by their keys. */
export interface Holdout {
  readonly size: number
  readonly find: (key: string) => Effect.Effect<StageRow | null, StageFailure>
}

const decodeRow = Schema.decodeUnknownEffect(Schema.fromJsonString(Row))

/**
 * Writes the questions, and beside them the whole rows, of which only the places stay in memory. The second file has no
 * name any more once it is open: the trainer does not find the answers in it.
 */
export const writeHoldout = Effect.fnUntraced(function* (context: StageContext, place: Place) {
  const file = `${place.holdout}.rows`
  const handle = yield* Effect.acquireRelease(
    io(() => fs.open(file, "w+", privateFile)),
    (handle) => Effect.promise(() => handle.close())
  )
  yield* io(() => fs.unlink(file))
  const places = new Map<string, readonly [at: number, bytes: number]>()
  let end = 0
  const keep = (rows: ReadonlyArray<StageRow>) => {
    const bodies = rows.map(({ key, row }) => {
      const body = Buffer.from(JSON.stringify(row))
      places.set(key, [end, body.length])
      end += body.length
      return body
    })
    return io(() => handle.writeFile(Buffer.concat(bodies)))
  }
  const kept = sample(context).pipe(
    Stream.grouped(batch),
    Stream.tap(keep),
    Stream.flatMap((rows) => Stream.fromIterable(rows))
  )
  yield* write(
    place.holdout,
    Stream.map(kept, (row) => line(questionOf(row)))
  )
  const holdout: Holdout = {
    size: places.size,
    find: Effect.fnUntraced(function* (key: string) {
      const found = places.get(key)
      if (found === undefined) return null
      const [at, bytes] = found
      const { buffer } = yield* io(() => handle.read(Buffer.alloc(bytes), 0, bytes, at))
      // This module wrote the file, so a decoding failure is a defect.
      return { key, row: yield* Effect.orDie(decodeRow(buffer.toString())) }
    })
  }
  return holdout
})
