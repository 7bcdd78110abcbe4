/** Turns a token's secret into a caller: the only place where partitions come from. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type StorageError, Unauthenticated } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import { type Credential, CredentialStore } from "./CredentialStore.ts"
import { statusAt, type Token } from "./Token.ts"

/** Who makes a request, and where their data is. */
export interface Caller {
  readonly partition: Partition
  readonly token: Token
}

export class Authentication extends Context.Service<
  Authentication,
  {
    /** Malformed, unknown, expired, disabled and replaced secrets look alike to the caller. */
    readonly authenticate: (secret: string) => Effect.Effect<Credential, Unauthenticated | StorageError>
  }
>()("@limbeck/core/tokens/Authentication") {}

/** Longer texts are no secrets of ours and are not worth a digest. */
const secretMax = 512

export const digestOf = Effect.fnUntraced(function* (secret: string) {
  const digest = yield* Digest
  return yield* digest.digestHex(sha256, new TextEncoder().encode(secret))
})

export const layer: Layer.Layer<Authentication, never, CredentialStore | Digest> = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const store = yield* CredentialStore
    const digest = yield* Digest
    return Authentication.of({
      authenticate: Effect.fn("Authentication.authenticate")(function* (secret: string) {
        if (secret.length > secretMax) return yield* new Unauthenticated({})
        const key = yield* Effect.provideService(digestOf(secret), Digest, digest)
        const found = yield* store.findByDigest(key)
        const now = yield* Clock.currentTimeMillis
        return Option.isSome(found) && statusAt(found.value.token, now) === "active"
          ? found.value
          : yield* new Unauthenticated({})
      })
    })
  })
)
