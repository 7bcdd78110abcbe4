/** The row, the answer and the evidence of an entry, as a person reviews it. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Characters from "@limbeck/core/text/Characters"
import * as Turns from "@limbeck/core/turns/Turns"
import * as CallExample from "@limbeck/distill/dataset/CallExample"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import * as PromptDigest from "@limbeck/distill/dataset/PromptDigest"
import type { Row } from "@limbeck/distill/dataset/Row"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { exampleOf, type Message, textOf } from "@limbeck/distill/dataset/RowText"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as SuspectList from "@limbeck/distill/suspects/SuspectList"
import type { StoredSuspect } from "@limbeck/distill/suspects/SuspectResource"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deployment from "../../deployment/Deployment.ts"
import type { ReviewQueue } from "../ReviewQueue.ts"

/** An entry as a person sees it. */
export interface ReviewItem {
  readonly prompt: ReadonlyArray<Message>
  readonly answer: string
  /** Null where no model suggests another answer. */
  readonly suggested: string | null
  readonly confidence: number | null
  readonly neighbours: StoredSuspect["neighbours"]
  /** The call, and whether a student answered it. */
  readonly call: { readonly id: string; readonly isStudents: boolean } | null
  /** Of the prompt: what the verdict joins rows by. */
  readonly digest: string
  /** Answer options, likely options first; empty for open answer sets. */
  readonly labels: ReadonlyArray<string>
}

type Evidence = Pick<ReviewItem, "call" | "confidence" | "neighbours" | "suggested">

const nothing: Evidence = { suggested: null, confidence: null, neighbours: [], call: null }

/** Equal first answers are one. */
const likelyFirst = (labels: ReadonlyArray<string>, { neighbours, suggested }: Evidence): ReadonlyArray<string> => {
  const known = new Set(labels)
  const likely = [...(suggested === null ? [] : [suggested]), ...neighbours.map(({ answer }) => answer)]
  return [...new Set([...likely.filter((label) => known.has(label)), ...labels])]
}

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const rows = yield* RowStore
  const resources = yield* ResourceStore

  const versionOf = Effect.fnUntraced(function* (
    partition: Partition,
    { deployment, version }: Pick<ReviewQueue, "deployment" | "version">
  ) {
    if (version !== null || deployment === null) return version
    const deployed = yield* resources.find(partition, Deployment.kind, deployment)
    if (Option.isNone(deployed)) return null
    const student = yield* resources.find(partition, StudentModel.kind, deployed.value.value.studentModel)
    return Option.isSome(student) ? student.value.value.datasetVersion : null
  })

  const labelsOf = Effect.fnUntraced(function* (partition: Partition, queue: ReviewQueue) {
    const id = yield* versionOf(partition, queue)
    const version = id === null ? Option.none() : yield* resources.find(partition, DatasetVersion.kind, id)
    return Option.isSome(version) ? (version.value.value.profile?.labels ?? []) : []
  })

  const bodyOf = Effect.fnUntraced(function* (partition: Partition, of: string, key: string) {
    const [stored] = yield* rows.findMany(partition, of, [key])
    return stored?.body
  })

  /** The row of an entry, and its evidence; undefined for a call that is gone or gives no row. */
  const rowOf = Effect.fnUntraced(function* (
    partition: Partition,
    { deployment, of, version }: ReviewQueue,
    key: string
  ): Effect.fn.Return<readonly [Row, Evidence] | undefined, StorageError> {
    if (deployment !== null) {
      const call = Option.getOrUndefined(yield* calls.find(partition, key))
      const row = call === undefined ? undefined : yield* Turns.run(CallExample.reading(call))
      if (call === undefined || row === undefined) return undefined
      const { confidence, id, servedBy } = call
      return [row, { ...nothing, confidence, call: { id, isStudents: servedBy === "student" } }]
    }
    if (version === null) return undefined
    if (of === "holdout") {
      const body = yield* bodyOf(partition, version, key)
      // A version's rows were checked before storage.
      return body === undefined ? undefined : [JSON.parse(body) as Row, nothing]
    }
    const list = yield* resources.find(partition, SuspectList.kind, version)
    const body = Option.isNone(list) ? undefined : yield* bodyOf(partition, SuspectList.rowsOf(list.value.value), key)
    if (body === undefined) return undefined
    // The writer of suspects wrote it.
    const { confidence, neighbours, row, suggested } = JSON.parse(body) as StoredSuspect & { readonly row: Row }
    return [row, { ...nothing, confidence, neighbours, suggested }]
  })

  /** Undefined if no person can judge the entry: decisions, answers without text, or answers longer than a comment. */
  const read = Effect.fnUntraced(function* (partition: Partition, queue: ReviewQueue, key: string) {
    const found = yield* rowOf(partition, queue, key)
    if (found === undefined) return undefined
    const [row, evidence] = found
    const { completion, prompt } = exampleOf(row)
    const answer = textOf(completion)
    const digest = yield* Turns.run(PromptDigest.reading(row))
    if (digest === undefined || answer === "" || !Characters.areAtMost(answer, CaptureLimits.commentMax))
      return undefined
    const labels = likelyFirst(yield* labelsOf(partition, queue), evidence)
    return { ...evidence, prompt, answer, digest, labels } satisfies ReviewItem
  })

  return read
})
