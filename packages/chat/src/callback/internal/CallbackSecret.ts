/** The signing secret of callbacks: one per installation, created at first use, and never shown (service-api 6.5). */
import * as Partition from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Base62 from "@limbeck/core/tokens/Base62"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const theOne = "callback_secret"

/** There is one in `Partition.system`: all have the same unique name. */
const kind = Kind.make({
  name: theOne,
  schema: Schema.Struct({ id: Schema.String, sealed: Schema.String, createdAt: Millis }),
  unique: () => theOne
})

/** Bytes of a secret. */
const byteCount = 32

const { system } = Partition

/** The secret, once it could be read; every server on a storage has the same. */
export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const random = yield* SecureRandom
  let known: string | undefined

  const find = Effect.map(
    resources.findUnique(system, kind, theOne),
    Option.map(({ value }) => value.sealed)
  )

  const sealedSecret = Effect.gen(function* () {
    const existing = yield* find
    if (Option.isSome(existing)) return existing.value
    const secret = `whsec_${Base62.fromBytes(yield* Effect.orDie(random.randomBytes(byteCount)))}`
    const sealed = yield* secrets.seal(secret, system.key)
    const made = { id: theOne, sealed, createdAt: yield* Clock.currentTimeMillis }
    return yield* resources.insert(system, kind, made).pipe(
      Effect.as(sealed),
      // Another server was faster.
      Effect.catchTag("AlreadyExists", () => Effect.map(find, Option.getOrThrow))
    )
  })

  const secret = Effect.gen(function* () {
    known ??= yield* secrets.open(yield* sealedSecret, system.key)
    return known
  })
  return { secret } as const
})
