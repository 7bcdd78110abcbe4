/** Turns a token's secret into a caller, with the partition that the token is of. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Recent from "../cache/Recent.ts"
import { type StorageError, Unauthenticated } from "../errors/Errors.ts"
import { fromKey } from "../partition/Partition.ts"
import { Queue } from "../queue/Queue.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import type { Millis } from "../time/Timestamp.ts"
import { type Credential, CredentialStore } from "./CredentialStore.ts"
import * as Secret from "./Secret.ts"
import * as Token from "./Token.ts"

export class Authentication extends Context.Service<
  Authentication,
  {
    /**
     * Malformed, unknown, expired, disabled and replaced secrets get the same failure. A token disabled in this process is
     * refused at once, one disabled in another within a second (contract 15.7); during an outage of storage, cached tokens
     * stay accepted.
     */
    readonly authenticate: (secret: string) => Effect.Effect<Credential, Unauthenticated | StorageError>
    /** After a change of the token by this process: its new state applies from now on, even during an outage. */
    readonly refresh: (token: Token.Token) => void
  }
>()("@limbeck/core/tokens/Authentication") {}

const isTouchDue = ({ token }: Credential, now: Millis): boolean =>
  now - (token.lastUsedAt ?? 0) >= Secret.touchEveryMillis

/** The form of a credential kept across a restart. */
const decodeKept = Schema.decodeUnknownOption(Schema.Struct({ partition: Schema.String, token: Token.Token }))

/** Records a token's use now and then; no request waits for it or fails because of it. */
const makeTouch = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const scope = yield* Effect.scope

  /** Tokens whose use is being written: a burst writes once. */
  const pending = new Set<string>()

  const write = Effect.fnUntraced(function* ({ partition, token }: Credential, lastUsedAt: Millis) {
    const found = yield* resources.find(partition, Token.kind, token.id)
    if (Option.isNone(found)) return
    const { revision, value } = found.value
    yield* resources.compareAndSet(partition, Token.kind, { revision, value: { ...value, lastUsedAt } })
    // Other processes would otherwise repeat the first write.
    yield* queue.nudge(Token.bell)
  })

  return (credential: Credential, now: Millis) =>
    Effect.suspend(() => {
      const { id } = credential.token
      if (pending.has(id)) return Effect.void
      pending.add(id)
      const written = Effect.ensuring(
        Effect.ignore(write(credential, now)),
        Effect.sync(() => pending.delete(id))
      )
      return Effect.asVoid(Effect.forkIn(written, scope))
    })
})

export const layer: Layer.Layer<Authentication, never, CredentialStore | ResourceStore | Digest | Queue> = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const store = yield* CredentialStore
    const digest = yield* Digest
    const touch = yield* makeTouch
    const digestOf = (secret: string) => Effect.provideService(Secret.digestOf(secret), Digest, digest)
    const recent = yield* Recent.make<Credential>(Token.bell, {
      name: "tokens",
      encode: ({ partition, token }) => ({ partition: partition.key, token }),
      decode: (json) =>
        Option.map(decodeKept(json), ({ partition, token }) => ({ partition: fromKey(partition), token })),
      // A secret is never written.
      keys: { ofKey: digestOf, ofValue: ({ token }) => token.digest }
    })

    /** Failing, so that strangers fill no memory. */
    const find = Effect.fnUntraced(function* (secret: string) {
      if (secret.length > Secret.lengthMax) return yield* new Unauthenticated({})
      const key = yield* digestOf(secret)
      return yield* Effect.flatMap(
        store.findByDigest(key),
        Option.match({ onNone: () => Effect.fail(new Unauthenticated({})), onSome: Effect.succeed })
      )
    })

    const admit = (credential: Credential, now: Millis) => {
      if (Token.statusAt(credential.token, now) !== "active") return Effect.fail(new Unauthenticated({}))
      return isTouchDue(credential, now) ? Effect.as(touch(credential, now), credential) : Effect.succeed(credential)
    }

    const look = (secret: string) =>
      Effect.flatMap(recent.get(secret, find(secret)), (credential) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => admit(credential, now))
      )

    return Authentication.of({
      // Almost every request finds its token known: it costs one step.
      authenticate: (secret) =>
        Effect.clockWith((clock): Effect.Effect<Credential, Unauthenticated | StorageError> => {
          const now = clock.currentTimeMillisUnsafe()
          const known = recent.fresh(secret, now)
          return known === undefined ? look(secret) : admit(known, now)
        }),
      refresh: (token) => recent.revise((known) => (known.token.id === token.id ? { ...known, token } : known))
    })
  })
)
