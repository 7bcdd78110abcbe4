/**
 * While a process receives content, it keeps postponing the upload's work item. A dead process stops postponing, so a
 * worker finds the upload and seals complete content.
 */
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DistillLimits } from "../../Limits.ts"
import * as Upload from "../Upload.ts"
import * as UploadParts from "./UploadParts.ts"

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const queue = yield* Queue
  const { find } = yield* UploadParts.make

  const postpone = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const dueAt = (yield* Clock.currentTimeMillis) + DistillLimits.arrivalSilenceMillis
    yield* queue.offer(partition, Upload.topic, id, dueAt)
  })

  /** Postpones during `work`, and only while the upload awaits this part: complete content is due at once. */
  const during = <A, E, R>(partition: Partition, id: string, part: string, work: Effect.Effect<A, E, R>) => {
    const beat = Effect.gen(function* () {
      const { value } = yield* find(partition, id)
      const isAwaited = value.status === "awaiting_content" && value.parts?.some((one) => one.id === part) === true
      if (isAwaited) yield* postpone(partition, id)
    })
    const beats = Effect.sleep(DistillLimits.arrivalBeatMillis).pipe(
      Effect.andThen(Effect.ignore(storage.transaction(beat))),
      Effect.forever
    )
    return Effect.raceFirst(work, beats)
  }

  return { postpone, during } as const
})
