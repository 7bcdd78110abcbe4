/** Limits in front of the database for sign-in attempts. */
import { assert, describe, it } from "@effect/vitest"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Ids from "@limbeck/core/ids/Ids"
import * as LinkSecrets from "@limbeck/core/people/LinkSecrets"
import { RateStore } from "@limbeck/core/rate/RateStore"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Crypto from "@limbeck/node/Crypto"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { clientOf } from "../src/http/internal/ClientAddress.ts"
import * as SignInLimit from "../src/http/SignInLimit.ts"

/** Storage with a log of every method call. */
const counted = () => {
  const uses: Array<string> = []
  const use = <A extends object>(port: A): A =>
    new Proxy(port, {
      get: (target, name) => {
        uses.push(String(name))
        return Reflect.get(target, name)
      }
    })
  const storage = Layer.mergeAll(
    Layer.effect(ResourceStore, Effect.map(ResourceStore, use)),
    Layer.effect(RateStore, Effect.map(RateStore, use))
  ).pipe(Layer.provide(StorageMemory.layer))
  return { uses, storage }
}

const limits = (storage: Layer.Layer<ResourceStore | RateStore, StorageError>) =>
  SignInLimit.layer.pipe(
    Layer.provideMerge(LinkSecrets.layer),
    Layer.provide(Ids.layer),
    Layer.provide(storage),
    Layer.provide(Crypto.layer)
  )

describe("attempts to sign in", () => {
  it.effect("by a secret that no server here made cost no query, from however many clients they come (P867)", () => {
    const { storage, uses } = counted()
    return Effect.gen(function* () {
      const { limit } = yield* SignInLimit.SignInLimit
      const { make } = yield* LinkSecrets.LinkSecrets
      const { secret } = yield* make
      uses.length = 0
      const altered = `${secret.startsWith("a") ? "b" : "a"}${secret.slice(1)}`
      const guesses = ["", "guess", "0".repeat(54), "x".repeat(512), `${secret.slice(0, 53)}-`, altered]
      for (let client = 0; client < 100; client++) {
        const attempt = limit(`client ${client}`, guesses[client % guesses.length] ?? "", Effect.die("asked storage"))
        assert.strictEqual((yield* Effect.flip(attempt))._tag, "SignInRefused")
      }
      assert.deepStrictEqual(uses, [])
      assert.strictEqual(yield* limit("client 0", secret, Effect.succeed("in")), "in")
    }).pipe(Effect.provide(limits(storage)))
  })

  it.effect("wait ten at a time for each client, and a household of IPv6 is one client (P867)", () =>
    Effect.gen(function* () {
      const { limit } = yield* SignInLimit.SignInLimit
      const guess = (address: string) =>
        Effect.map(Effect.flip(limit(clientOf(address), "guess", Effect.void)), ({ _tag }) => _tag)
      const household = Array.from({ length: 12 }, (_, host) => `2001:db8:0:7::${(host + 1).toString(16)}`)
      const answers = yield* Effect.forEach(household, guess)
      assert.deepStrictEqual(answers.slice(9), ["SignInRefused", "RateLimited", "RateLimited"])
      assert.strictEqual(yield* guess("2001:db8:0:8::1"), "SignInRefused")
    }).pipe(Effect.provide(limits(counted().storage)))
  )
})

describe("the client of an address", () => {
  it("is the address of IPv4, and the first 64 bits of IPv6, however they are written", () => {
    for (const [address, client] of [
      ["203.0.113.7", "203.0.113.7"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["2001:db8::1", "2001:db8:0:0"],
      ["2001:0DB8:0000:0000:1:2:3:4", "2001:db8:0:0"],
      ["2001:db8:1:2:3::", "2001:db8:1:2"],
      ["fe80::1%eth0", "fe80:0:0:0"],
      ["::1", "0:0:0:0"],
      ["", ""]
    ] as const) {
      assert.strictEqual(clientOf(address), client)
    }
  })
})
