/**
 * Stores the suspects of a version once: a later examination changes nothing. The rows go under the name of their run or build first, and
 * the list is added last, so that a crash leaves the whole list or none; the next attempt of the same run or build begins anew.
 */
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DatasetVersionId } from "../dataset/DatasetVersion.ts"
import * as RowKeys from "../dataset/internal/RowKeys.ts"
import type { Row } from "../dataset/Row.ts"
import { RowStore, type StoredRow } from "../dataset/RowStore.ts"
import { exampleOf, textOf } from "../dataset/RowText.ts"
import * as ToolAnswers from "../dataset/ToolAnswers.ts"
import { DistillLimits } from "../Limits.ts"
import type { Examination, ExaminedSuspect } from "./Examination.ts"
import type { Vote } from "./RelabelRules.ts"
import * as SuspectList from "./SuspectList.ts"
import * as SuspectResource from "./SuspectResource.ts"

/** Sorts as the positions do. */
const keyOf = (position: number): string => String(position).padStart(8, "0")

/** The beginning of a row's last message. */
const beginningOf = ({ body }: StoredRow): string => {
  // A version's rows were checked before storage.
  const { prompt } = exampleOf(JSON.parse(body) as Row)
  const last = prompt.at(-1)
  return last === undefined ? "" : Array.from(textOf(last)).slice(0, DistillLimits.suspectNeighbourCharacters).join("")
}

const relabelOf = ({ answers, outcome }: Vote): NonNullable<SuspectResource.StoredSuspect["relabel"]> => ({
  outcome,
  answers: answers.map((answer) => (answer === null ? null : ToolAnswers.labelOf(answer)))
})

const storedOf = (
  { isConfident, neighbours, row: _row, ...suspect }: ExaminedSuspect,
  position: number,
  row: StoredRow,
  texts: ReadonlyMap<number, string>,
  vote: Vote | undefined
): StoredRow => ({
  key: keyOf(position),
  split: "train",
  body: SuspectResource.write(
    {
      position,
      row_key: row.key,
      ...suspect,
      confident: isConfident,
      neighbours: neighbours.map(({ row: at, ...neighbour }) => ({ text: texts.get(at) ?? "", ...neighbour })),
      ...(vote === undefined ? {} : { relabel: relabelOf(vote) })
    },
    row.body
  )
})

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const rowStore = yield* RowStore
  const queue = yield* Queue

  /** `origin`: the build or the run; `work`: its lease; `votes`: by the digest of a suspect's content. */
  return Effect.fn("SuspectWriter.write")(function* (
    work: Work,
    { id, origin }: { readonly id: DatasetVersionId; readonly origin: string },
    { examined, suspects }: Examination,
    votes: ReadonlyMap<string, Vote> = new Map()
  ) {
    const { partition } = work
    if (Option.isSome(yield* resources.find(partition, SuspectList.kind, id))) return
    const into = SuspectList.rowsOf({ id, origin })
    yield* storage.transaction(Effect.andThen(queue.guard(work), rowStore.clear(partition, into)))
    const numbered = Stream.zipWithIndex(rowStore.scan(partition, id, "train"))
    const near = new Set(suspects.flatMap(({ neighbours }) => neighbours.map(({ row }) => row)))
    const texts = new Map<number, string>()
    if (near.size > 0) {
      yield* Stream.runForEach(numbered, ([row, at]) =>
        Effect.sync(() => {
          if (near.has(at)) texts.set(at, beginningOf(row))
        })
      )
    }
    const positions = new Map(suspects.map(({ row }, at) => [row, at]))
    yield* numbered.pipe(
      Stream.filter(([, at]) => positions.has(at)),
      Stream.map(([row, at]) => {
        const position = positions.get(at)!
        const suspect = suspects[position]!
        return storedOf(suspect, position + 1, row, texts, votes.get(RowKeys.digestOf(row.key)))
      }),
      Stream.grouped(DistillLimits.suspectsBatch),
      Stream.runForEach((rows) =>
        storage.transaction(Effect.andThen(queue.guard(work), rowStore.append(partition, into, rows)))
      )
    )
    const list = { id, origin, examined, suspects: suspects.length, createdAt: yield* Clock.currentTimeMillis }
    yield* storage.transaction(
      Effect.gen(function* () {
        yield* queue.guard(work)
        const isKnown = Option.isSome(yield* resources.find(partition, SuspectList.kind, id))
        yield* isKnown ? rowStore.clear(partition, into) : resources.add(partition, SuspectList.kind, list)
      })
    )
  })
})
