/** Sessions: begun, looked up at each request, ended. The secret is returned only at the beginning. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Recent from "../cache/Recent.ts"
import { type NotFound, type StorageError, Unauthenticated } from "../errors/Errors.ts"
import { Ids } from "../ids/Ids.ts"
import * as Partition from "../partition/Partition.ts"
import { Queue } from "../queue/Queue.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import { Storage } from "../storage/Storage.ts"
import type { Millis } from "../time/Timestamp.ts"
import * as Base62 from "../tokens/Base62.ts"
import * as Secret from "../tokens/Secret.ts"
import * as Person from "./Person.ts"
import * as Session from "./Session.ts"

/** A session, and whose it is. */
export interface SessionOwner {
  readonly session: Session.Session
  readonly person: Person.Person
}

/** The only appearance of a session's secret. */
export interface NewSession extends SessionOwner {
  readonly secret: string
}

export class Sessions extends Context.Service<
  Sessions,
  {
    readonly begin: (person: string) => Effect.Effect<NewSession, NotFound | StorageError>
    /**
     * Unknown and ended secrets get the same failure. A session ended by this process is refused at once, one ended by
     * another within a second; during an outage of storage, cached sessions stay.
     */
    readonly authenticate: (secret: string) => Effect.Effect<SessionOwner, Unauthenticated | StorageError>
    /** What a page of ours sends with each change, and no other page can know. */
    readonly csrfOf: (secret: string) => Effect.Effect<string>
    readonly end: (id: string) => Effect.Effect<void, StorageError>
    /** Ends the session with this secret; an unknown secret has no effect. */
    readonly endOf: (secret: string) => Effect.Effect<void, StorageError>
    /** All of a person. */
    readonly endAll: (person: string) => Effect.Effect<void, StorageError>
    /** After a change of a person: their sessions use the given state from now on. */
    readonly refresh: (person: Person.Person) => Effect.Effect<void>
  }
>()("@limbeck/core/people/Sessions") {}

/** Records a session's use now and then; no request waits for it or fails because of it. */
const makeTouch = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const scope = yield* Effect.scope
  /** Sessions whose use is being written: a burst writes once. */
  const pending = new Set<string>()

  const write = Effect.fnUntraced(function* (id: string, usedAt: Millis) {
    const { revision, value } = yield* Resources.require(resources, Partition.system, Session.kind, id)
    yield* resources.compareAndSet(Partition.system, Session.kind, { revision, value: { ...value, usedAt } })
  })

  return Effect.fnUntraced(function* ({ id, usedAt }: Session.Session, now: Millis) {
    if (now - usedAt < Secret.touchEveryMillis || pending.has(id)) return
    pending.add(id)
    const written = Effect.ensuring(
      Effect.ignore(write(id, now)),
      Effect.sync(() => pending.delete(id))
    )
    yield* Effect.forkIn(written, scope)
  })
})

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const queue = yield* Queue
  const random = yield* SecureRandom
  const digest = yield* Digest
  const ids = yield* Ids
  const touch = yield* makeTouch
  const recent = yield* Recent.make<SessionOwner>(Person.bell)

  const digestOf = (text: string) => Effect.provideService(Secret.digestOf(text), Digest, digest)

  /** Failing, so that strangers fill no memory. */
  const find = Effect.fnUntraced(function* (secret: string) {
    if (secret.length > Secret.lengthMax) return yield* new Unauthenticated({})
    const session = yield* resources.findUnique(Partition.system, Session.kind, yield* digestOf(secret))
    if (Option.isNone(session)) return yield* new Unauthenticated({})
    const person = yield* resources.find(Partition.system, Person.kind, session.value.value.person)
    if (Option.isNone(person)) return yield* new Unauthenticated({})
    return { session: session.value.value, person: person.value.value }
  })

  /** After the commit: the bell informs other processes, and this one revises its cache. */
  const tell = (change: (known: SessionOwner) => SessionOwner | undefined) =>
    Effect.andThen(queue.nudge(Person.bell), storage.afterCommit(Effect.sync(() => recent.revise(change))))

  const begin = Effect.fn("Sessions.begin")(function* (id: string) {
    const person = yield* Resources.requireValue(resources, Partition.system, Person.kind, id)
    const secret = Base62.fromBytes(yield* random.randomBytes(32))
    const now = yield* Clock.currentTimeMillis
    const session: Session.Session = {
      id: yield* ids.make("ses"),
      person: person.id,
      digest: yield* digestOf(secret),
      usedAt: now,
      createdAt: now
    }
    yield* Effect.catchTag(resources.insert(Partition.system, Session.kind, session), "AlreadyExists", Effect.die)
    return { secret, session, person }
  })

  const authenticate = Effect.fnUntraced(function* (secret: string) {
    const known = yield* recent.get(secret, find(secret))
    const now = yield* Clock.currentTimeMillis
    if (!Session.isLive(known.session, now)) return yield* new Unauthenticated({})
    yield* touch(known.session, now)
    return known
  })

  const end = Effect.fn("Sessions.end")(function* (id: string) {
    yield* resources.remove(Partition.system, Session.kind, id)
    yield* tell((known) => (known.session.id === id ? undefined : known))
  })

  const endOf = Effect.fn("Sessions.endOf")(function* (secret: string) {
    if (secret.length > Secret.lengthMax) return
    const session = yield* resources.findUnique(Partition.system, Session.kind, yield* digestOf(secret))
    if (Option.isSome(session)) yield* end(session.value.value.id)
  })

  return Sessions.of({
    begin,
    authenticate,
    end,
    endOf,
    csrfOf: (secret) => digestOf(`csrf ${secret}`),
    endAll: Effect.fn("Sessions.endAll")(function* (person: string) {
      const all = yield* resources.findByLabels(Partition.system, Session.kind, [Session.labelOf(person)])
      yield* Effect.forEach(all, ({ id }) => resources.remove(Partition.system, Session.kind, id), { discard: true })
      yield* tell((known) => (known.person.id === person ? undefined : known))
    }),
    refresh: (person) => tell((known) => (known.person.id === person.id ? { ...known, person } : known))
  })
})

export const layer: Layer.Layer<Sessions, never, ResourceStore | Storage | Queue | SecureRandom | Digest | Ids> =
  Layer.effect(Sessions, make)
