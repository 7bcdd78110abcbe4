/**
 * Secrets of sign-in links and invitations. Each secret ends with a tag under a key of the installation, so a server rejects a
 * guess without a query. The key protects no data: forging a tag buys an attacker one failing query.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StorageError } from "../errors/Errors.ts"
import * as Id from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import * as Partition from "../partition/Partition.ts"
import * as Kind from "../resources/Kind.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import { Millis } from "../time/Timestamp.ts"
import * as Base62 from "../tokens/Base62.ts"
import * as Secret from "../tokens/Secret.ts"

interface LinkSecret {
  readonly secret: string
  /** Lowercase hex SHA-256 of the secret: what storage keeps. */
  readonly digest: string
}

export class LinkSecrets extends Context.Service<
  LinkSecrets,
  {
    /** 43 random characters and a tag of 11. */
    readonly make: Effect.Effect<LinkSecret, StorageError>
    readonly digestOf: (secret: string) => Effect.Effect<string>
    /** Whether the tag is valid, also for used and expired links. Reads storage once per process, for the key. */
    readonly isGenuine: (secret: string) => Effect.Effect<boolean, StorageError>
  }
>()("@limbeck/core/people/LinkSecrets") {}

const theKey = "link_key"

/** There is one in `Partition.system`. */
const kind = Kind.make({
  name: "link_key",
  schema: Schema.Struct({ id: Id.schema("lky"), hex: Schema.String, createdAt: Millis }),
  unique: () => theKey
})

const randomDigits = 43
/** 64 bits in base62. */
const tagDigits = 11
const form = new RegExp(`^[0-9A-Za-z]{${randomDigits + tagDigits}}$`)

const utf8 = new TextEncoder()

/** Loads the installation's key, or creates it on first use. */
const storedKey = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const random = yield* SecureRandom
  const ids = yield* Ids
  const stored = resources.findUnique(Partition.system, kind, theKey)
  const existing = yield* stored
  if (Option.isSome(existing)) return existing.value.value.hex
  const hex = Hex.encode(yield* random.randomBytes(32))
  const made = { id: yield* ids.make("lky"), hex, createdAt: yield* Clock.currentTimeMillis }
  return yield* resources.insert(Partition.system, kind, made).pipe(
    Effect.as(hex),
    Effect.catchTag("AlreadyExists", () => Effect.map(stored, (found) => Option.getOrThrow(found).value.hex))
  )
})

const make = Effect.gen(function* () {
  const digest = yield* Digest
  const random = yield* SecureRandom
  const mac = yield* Mac.Mac
  const services = yield* Effect.context<ResourceStore | SecureRandom | Ids>()
  let known: Mac.Key | undefined

  const key = Effect.suspend(() =>
    known === undefined
      ? Effect.flatMap(Effect.provide(storedKey, services), (hex) =>
          Effect.tap(Effect.orDie(Mac.key(Mac.hmacSha256, utf8.encode(hex))), (made) =>
            Effect.sync(() => (known = made))
          )
        )
      : Effect.succeed(known)
  )

  const tagOf = Effect.fnUntraced(function* (text: string) {
    const signature = yield* Effect.orDie(mac.sign(yield* key, utf8.encode(text)))
    return Base62.encode(BigInt(`0x${Hex.encode(signature.subarray(0, 8))}`), tagDigits)
  })

  const digestOf = (text: string) => Effect.provideService(Secret.digestOf(text), Digest, digest)

  return LinkSecrets.of({
    digestOf,
    make: Effect.gen(function* () {
      const text = Base62.fromBytes(yield* random.randomBytes(32))
      const secret = text + (yield* tagOf(text))
      return { secret, digest: yield* digestOf(secret) }
    }),
    isGenuine: (secret) => {
      if (!form.test(secret)) return Effect.succeed(false)
      const tag = utf8.encode(secret.slice(randomDigits))
      return Effect.map(tagOf(secret.slice(0, randomDigits)), (expected) =>
        Mac.timingSafeEqual(tag, utf8.encode(expected))
      )
    }
  })
})

export const layer: Layer.Layer<LinkSecrets, never, ResourceStore | SecureRandom | Digest | Mac.Mac | Ids> =
  Layer.effect(LinkSecrets, make)
