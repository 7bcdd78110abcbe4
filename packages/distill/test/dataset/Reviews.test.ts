/** The build of a version reads reviewers' feedback. */
import { assert, it } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import { DistillLimits } from "../../src/Limits.ts"
import * as Reviews from "../../src/review/Reviews.ts"

const prompt = "00ff00ff00ff00ff"

it.effect("finds the verdicts of queues among newer feedback of any number on calls (P1742)", () =>
  Effect.gen(function* () {
    const partition = Fresh.partition()
    const calls = yield* CallStore
    const given = (fields: Parameters<typeof Calls.feedback>[0]) =>
      calls.insertFeedback(partition, Calls.feedback({ name: "correct", value: 0, ...fields }))
    yield* given({ prompt, comment: "no" })
    const others = Array.from({ length: DistillLimits.reviewsMax + 1 }, (_, at) => ({
      externalId: `${at}`,
      createdAt: Fresh.start + at
    }))
    yield* Effect.forEach(others, given, { discard: true })
    const reviews = yield* Reviews.read(calls, partition, Plans.version(), Reviews.isOfQueue)
    assert.isDefined(reviews.ofPrompt(prompt))
  }).pipe(Effect.provide(StorageMemory.layer))
)
