/** Sources on memory storage. API tests cover their rendering. */
import { assert, it } from "@effect/vitest"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import * as UndiciUpstream from "@limbeck/node/capture/UndiciUpstream"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Source from "../src/source/Source.ts"
import * as Sources from "../src/source/Sources.ts"

const world = Sources.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      StorageMemory.layer,
      Ids.layer,
      Secrets.layer([Redacted.make(new Uint8Array(32))]),
      UndiciUpstream.layer({ policy: { allowed: [] } })
    )
  ),
  Layer.provideMerge(Crypto.layer)
)

const live = Partition.make("ws_00000000000000000000000001", true)
const test = Partition.make("ws_00000000000000000000000001", false)

const apiKey = "sk-0123456789abcdef"
const request = { name: "openai", kind: "byok", baseUrl: "https://upstream.example/v1", apiKey } as const

it.effect("a key is sealed in storage, and opened for the source's own calls alone (P58)", () =>
  Effect.gen(function* () {
    const sources = yield* Sources.Sources
    const resources = yield* ResourceStore
    const { source } = yield* sources.create(live, request)
    const stored = yield* resources.find(live, Source.kind, source.id)
    assert.isTrue(Option.isSome(stored))
    assert.notInclude(JSON.stringify([stored, source]), apiKey)
    assert.deepStrictEqual(yield* sources.credentials(live, source), { authorization: `Bearer ${apiKey}` })
    const elsewhere = yield* Effect.exit(sources.credentials(test, source))
    assert.strictEqual(elsewhere._tag, "Failure")
    const { source: without } = yield* sources.update(live, source.id, { apiKey: null })
    assert.deepStrictEqual(yield* sources.credentials(live, without), {})
  }).pipe(Effect.provide(world))
)

it.effect("a source is found by its name, its id, or as the default, in its own mode", () =>
  Effect.gen(function* () {
    const sources = yield* Sources.Sources
    const { source } = yield* sources.create(live, { ...request, isDefault: true })
    for (const wanted of [null, "openai", source.id]) {
      assert.deepStrictEqual(yield* sources.resolve(live, wanted), Option.some(source))
      assert.isTrue(Option.isNone(yield* sources.resolve(test, wanted)))
    }
    yield* sources.remove(live, source.id, Effect.void)
    for (const wanted of [null, "openai", source.id]) {
      assert.isTrue(Option.isNone(yield* sources.resolve(live, wanted)))
    }
  }).pipe(Effect.provide(world))
)

it.effect("a key that is kept follows the base URL to no other origin (P94)", () =>
  Effect.gen(function* () {
    const sources = yield* Sources.Sources
    const { source } = yield* sources.create(live, request)
    const elsewhere = "https://other.example/v1"
    for (const baseUrl of [
      elsewhere,
      "https://upstream.example:8443/v1",
      "https://upstream.example.other.example/v1"
    ]) {
      const refused = yield* Effect.flip(sources.update(live, source.id, { baseUrl }))
      assert.deepInclude(refused, { _tag: "InvalidInput", param: "api_key" })
    }
    const { source: near } = yield* sources.update(live, source.id, { baseUrl: "https://upstream.example/v2" })
    assert.deepStrictEqual(yield* sources.credentials(live, near), { authorization: `Bearer ${apiKey}` })
    const { source: moved } = yield* sources.update(live, source.id, { baseUrl: elsewhere, apiKey: "sk-other" })
    assert.deepStrictEqual(yield* sources.credentials(live, moved), { authorization: "Bearer sk-other" })
    yield* sources.update(live, source.id, { apiKey: null })
    const { source: bare } = yield* sources.update(live, source.id, { baseUrl: "https://third.example/v1" })
    assert.deepStrictEqual(yield* sources.credentials(live, bare), {})
  }).pipe(Effect.provide(world))
)
