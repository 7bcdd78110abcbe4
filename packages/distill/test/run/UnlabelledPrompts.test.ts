import { assert, describe, it } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { call } from "@limbeck/testing/fixtures/Calls"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as UnlabelledPrompts from "../../src/run/internal/UnlabelledPrompts.ts"

const asking = (text: string, fields: Partial<CapturedCall> = {}) =>
  call({ request: JSON.stringify({ model: "large", messages: [{ role: "user", content: text }] }), ...fields })

describe("prompts without a label", () => {
  it.effect("are those of all conversations from before the run, whatever their answers were (P1583)", () =>
    Effect.gen(function* () {
      const store = yield* CallStore
      const [partition, other] = [Fresh.partition(), Fresh.partition()]
      const version = Plans.version({ rows: 1, trainRows: 1, holdoutRows: 0 })
      const recipeAsSent = { student_model: Plans.builtin, stages: [{ kind: "eval", config: {} }], rewards: [] }
      const made = Plans.newRun(version, { recipeAsSent, dryRun: false }, { executor: "stub" })
      const run = { ...made, createdAt: Fresh.start }
      const at = (millis: number): Partial<CapturedCall> => ({ createdAt: Fresh.start + millis })
      const messages = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "of another dialect" }] }
      const calls = [
        asking("first", at(-60)),
        asking("answered by a student", { ...at(-50), servedBy: "student" }),
        asking("failed", { ...at(-40), outcome: "failed", response: null }),
        call({ ...at(-30), endpoint: "messages", request: JSON.stringify(messages) }),
        call({ ...at(-20), endpoint: "embeddings", request: JSON.stringify({ input: "no conversation" }) }),
        call({ ...at(-10), request: "no JSON", requestIsJson: false }),
        asking("after the run", at(10))
      ].map((value) => ({ partition, value }))
      yield* store.append([...calls, { partition: other, value: asking("of another workspace", at(-5)) }])
      const unlabelledOf = yield* UnlabelledPrompts.make
      const prompts = yield* Stream.runCollect(unlabelledOf(partition, run))
      assert.deepStrictEqual(
        prompts.map((prompt) => prompt.map((message) => message["content"])),
        [["of another dialect"], ["failed"], ["answered by a student"], ["first"]]
      )
    }).pipe(Effect.provide(StorageMemory.layer))
  )
})
