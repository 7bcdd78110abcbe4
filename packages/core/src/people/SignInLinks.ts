/** Links that sign people in without a password: made for one person, used once, good for a quarter of an hour. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type NotFound, SignInRefused, type StorageError } from "../errors/Errors.ts"
import { Ids } from "../ids/Ids.ts"
import * as Partition from "../partition/Partition.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import { Storage } from "../storage/Storage.ts"
import type { Millis } from "../time/Timestamp.ts"
import * as Base62 from "../tokens/Base62.ts"
import * as Secret from "../tokens/Secret.ts"
import * as Person from "./Person.ts"
import * as Session from "./Session.ts"
import { type Begun, Sessions } from "./Sessions.ts"
import * as SignInLink from "./SignInLink.ts"

/** The one time that the secret of a link is seen. */
export interface MadeLink {
  readonly secret: string
  readonly expiresAt: Millis
}

export class SignInLinks extends Context.Service<
  SignInLinks,
  {
    readonly make: (person: string) => Effect.Effect<MadeLink, NotFound | StorageError>
    /** The link is gone and the session is there, or neither has happened. Wrong, used and expired secrets cost one look-up each. */
    readonly use: (secret: string) => Effect.Effect<Begun, SignInRefused | StorageError>
    /** Those of a person that are still there are good for nothing. */
    readonly revokeAll: (person: string) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/core/people/SignInLinks") {}

const refused = new SignInRefused({})

export const layer: Layer.Layer<SignInLinks, never, ResourceStore | Storage | Sessions | SecureRandom | Digest | Ids> =
  Layer.effect(
    SignInLinks,
    Effect.gen(function* () {
      const resources = yield* ResourceStore
      const storage = yield* Storage
      const sessions = yield* Sessions
      const random = yield* SecureRandom
      const digest = yield* Digest
      const ids = yield* Ids

      const digestOf = (text: string) => Effect.provideService(Secret.digestOf(text), Digest, digest)
      const remove = (id: string) => resources.remove(Partition.system, SignInLink.kind, id)

      const make = Effect.fn("SignInLinks.make")(function* (id: string) {
        const person = yield* Resources.requireValue(resources, Partition.system, Person.kind, id)
        const secret = Base62.fromBytes(yield* random.randomBytes(32))
        const link: SignInLink.SignInLink = {
          id: yield* ids.make("lnk"),
          person: person.id,
          digest: yield* digestOf(secret),
          createdAt: yield* Clock.currentTimeMillis
        }
        yield* Effect.catchTag(resources.insert(Partition.system, SignInLink.kind, link), "AlreadyExists", Effect.die)
        return { secret, expiresAt: SignInLink.endsAt(link) }
      })

      /** Of two who use a link at once, the second finds nothing to remove. */
      const spend = ({ id, person }: SignInLink.SignInLink) =>
        storage.transaction(
          Effect.gen(function* () {
            if (!(yield* remove(id))) return yield* refused
            return yield* Effect.catchTag(sessions.begin(person), "NotFound", () => Effect.fail(refused))
          })
        )

      const use = Effect.fn("SignInLinks.use")(function* (secret: string) {
        if (secret.length > Secret.lengthMax) return yield* refused
        const found = yield* resources.findUnique(Partition.system, SignInLink.kind, yield* digestOf(secret))
        const now = yield* Clock.currentTimeMillis
        if (Option.isNone(found) || SignInLink.endsAt(found.value.value) <= now) return yield* refused
        return yield* spend(found.value.value)
      })

      const revokeAll = Effect.fn("SignInLinks.revokeAll")(function* (person: string) {
        const all = yield* resources.labelled(Partition.system, SignInLink.kind, [Session.labelOf(person)])
        yield* Effect.forEach(all, ({ id }) => remove(id), { discard: true })
      })

      return SignInLinks.of({ make, use, revokeAll })
    })
  )
