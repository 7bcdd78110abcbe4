/** How long conversations are kept. */
import { assert, describe, it } from "@effect/vitest"
import { dayMillis } from "@limbeck/core/time/Timestamp"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { conversation } from "@limbeck/testing/fixtures/Conversations"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversationRetention from "../src/conversation/ConversationRetention.ts"
import { ConversationStore } from "../src/conversation/ConversationStore.ts"

describe("retention of conversations", () => {
  it.effect("removes those whose last message is older than they are kept (P106)", () =>
    Effect.gen(function* () {
      const store = yield* ConversationStore
      const partition = Fresh.partition()
      const [old, young] = [conversation({ updatedAt: 0 }), conversation({ updatedAt: 2 * dayMillis })]
      for (const one of [old, young]) yield* store.open(partition, one)
      const { removeBatch } = yield* ConversationRetention.rule(1.5)
      assert.strictEqual(yield* removeBatch(1.4 * dayMillis), "done")
      assert.isTrue(Option.isSome(yield* store.find(partition, old.id)))
      assert.strictEqual(yield* removeBatch(3 * dayMillis), "done")
      assert.isTrue(Option.isNone(yield* store.find(partition, old.id)))
      assert.isTrue(Option.isSome(yield* store.find(partition, young.id)))
    }).pipe(Effect.provide(StorageMemory.layer))
  )
})
