/** Links that sign people in without a password: made for one person, used once, good for a quarter of an hour. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
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
import { LinkSecrets } from "./LinkSecrets.ts"
import * as Person from "./Person.ts"
import * as Session from "./Session.ts"
import { type NewSession, Sessions } from "./Sessions.ts"
import * as SignInLink from "./SignInLink.ts"

/** The only appearance of a link's secret. */
export interface MadeLink {
  readonly secret: string
  readonly expiresAt: Millis
}

export interface LinkOwner {
  readonly person: Person.Person
  readonly expiresAt: Millis
}

export class SignInLinks extends Context.Service<
  SignInLinks,
  {
    readonly make: (person: string) => Effect.Effect<MadeLink, NotFound | StorageError>
    /** Returns the person of an open link without consuming it. */
    readonly look: (secret: string) => Effect.Effect<LinkOwner, SignInRefused | StorageError>
    /**
     * Consumes the link, begins a session, and ends the session with the secret `before`, in one transaction. A guess costs no
     * query; a used or expired link costs one.
     */
    readonly use: (secret: string, before?: string) => Effect.Effect<NewSession, SignInRefused | StorageError>
    /** Invalidates a person's remaining links. */
    readonly revokeAll: (person: string) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/core/people/SignInLinks") {}

const refused = new SignInRefused({})

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const sessions = yield* Sessions
  const secrets = yield* LinkSecrets
  const ids = yield* Ids

  const remove = (id: string) => resources.remove(Partition.system, SignInLink.kind, id)

  const make = Effect.fn("SignInLinks.make")(function* (id: string) {
    const person = yield* Resources.requireValue(resources, Partition.system, Person.kind, id)
    const { digest, secret } = yield* secrets.make
    const link: SignInLink.SignInLink = {
      id: yield* ids.make("lnk"),
      person: person.id,
      digest,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* Effect.catchTag(resources.insert(Partition.system, SignInLink.kind, link), "AlreadyExists", Effect.die)
    return { secret, expiresAt: SignInLink.endsAt(link) }
  })

  const open = Effect.fnUntraced(function* (secret: string) {
    if (!(yield* secrets.isGenuine(secret))) return yield* refused
    const found = yield* resources.findUnique(Partition.system, SignInLink.kind, yield* secrets.digestOf(secret))
    const now = yield* Clock.currentTimeMillis
    if (Option.isNone(found) || SignInLink.endsAt(found.value.value) <= now) return yield* refused
    return found.value.value
  })

  /** Of two who use a link at once, the second finds nothing to remove. */
  const spend = ({ id, person }: SignInLink.SignInLink, before: string | undefined) =>
    storage.transaction(
      Effect.gen(function* () {
        if (!(yield* remove(id))) return yield* refused
        if (before !== undefined) yield* sessions.endOf(before)
        return yield* Effect.catchTag(sessions.begin(person), "NotFound", () => Effect.fail(refused))
      })
    )

  const look = Effect.fn("SignInLinks.look")(function* (secret: string) {
    const link = yield* open(secret)
    const person = yield* resources.find(Partition.system, Person.kind, link.person)
    if (Option.isNone(person)) return yield* refused
    return { person: person.value.value, expiresAt: SignInLink.endsAt(link) }
  })

  const revokeAll = Effect.fn("SignInLinks.revokeAll")(function* (person: string) {
    const all = yield* resources.findByLabels(Partition.system, SignInLink.kind, [Session.labelOf(person)])
    yield* Effect.forEach(all, ({ id }) => remove(id), { discard: true })
  })

  return SignInLinks.of({
    make,
    look,
    use: Effect.fn("SignInLinks.use")((secret, before) => Effect.flatMap(open(secret), (link) => spend(link, before))),
    revokeAll
  })
})

export const layer: Layer.Layer<SignInLinks, never, ResourceStore | Storage | Sessions | LinkSecrets | Ids> =
  Layer.effect(SignInLinks, make)
