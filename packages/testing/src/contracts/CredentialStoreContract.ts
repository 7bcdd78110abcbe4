/** What every CredentialStore must do. */
import { assert } from "@effect/vitest"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import * as Token from "@limbeck/core/tokens/Token"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fresh from "../fixtures/Fresh.ts"
import * as Notes from "../fixtures/Notes.ts"
import { describePort } from "./AllPorts.ts"

const token = (digest = Fresh.name("digest")): Token.Token => ({
  id: Fresh.id("tok"),
  name: "ci",
  digest,
  scopes: ["events:read"],
  disabled: false,
  expiresAt: null,
  lastUsedAt: null,
  createdAt: Fresh.start
})

export const suite = describePort("CredentialStore", (it) => {
  it.effect("a token is found by its digest, with the partition it is of", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const credentials = yield* CredentialStore
      const { mine, others } = Fresh.neighbours()
      for (const partition of [mine, ...others]) {
        const made = token()
        yield* store.insert(partition, Token.kind, made)
        assert.deepStrictEqual(yield* credentials.findByDigest(made.digest), Option.some({ partition, token: made }))
      }
    })
  )

  it.effect("only the whole digest finds it, and only that of a token", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const credentials = yield* CredentialStore
      const partition = Fresh.partition()
      const made = token()
      yield* store.insert(partition, Token.kind, made)
      yield* store.insert(partition, Notes.kind, Notes.note({ title: `${made.digest}1` }))
      for (const digest of [made.digest.slice(0, -1), `${made.digest}0`, `${made.digest}1`, ""]) {
        assert.deepStrictEqual(yield* credentials.findByDigest(digest), Option.none())
      }
    })
  )

  it.effect("what is found is the last write; a replaced or removed digest finds nothing", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const credentials = yield* CredentialStore
      const partition = Fresh.partition()
      const old = token()
      const rotated = { ...old, digest: Fresh.name("digest"), disabled: true }
      yield* store.insert(partition, Token.kind, old)
      yield* store.compareAndSet(partition, Token.kind, { value: rotated, revision: 0 })
      assert.deepStrictEqual(yield* credentials.findByDigest(old.digest), Option.none())
      assert.deepStrictEqual(
        yield* credentials.findByDigest(rotated.digest),
        Option.some({ partition, token: rotated })
      )
      yield* store.remove(partition, Token.kind, old.id)
      assert.deepStrictEqual(yield* credentials.findByDigest(rotated.digest), Option.none())
    })
  )
})
