/** Reports shown to whoever has the link: a capability that expires, and that can be revoked. */
import { type Conflict, conflict, Gone, NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Capability from "../upload/Capability.ts"
import * as Report from "./Report.ts"
import * as Share from "./Share.ts"

export interface Shared {
  /** Shown this once: storage keeps its digest. */
  readonly token: string
  readonly expiresAt: Millis
}

export class Shares extends Context.Service<
  Shares,
  {
    /** A link that lasts so long, in seconds. The one before it, if there is one, is dead from then on. */
    readonly share: (
      partition: Partition,
      report: string,
      expiresInSeconds: number
    ) => Effect.Effect<Shared, NotFound | Conflict | StorageError>
    /** The link is dead at once. `NotFound` when there is none. */
    readonly revoke: (partition: Partition, report: string) => Effect.Effect<void, NotFound | StorageError>
    /** What the token shows; `Gone` when it was revoked, replaced, or has expired. */
    readonly open: (
      token: string
    ) => Effect.Effect<
      { readonly partition: Partition; readonly report: Report.Report },
      NotFound | Gone | StorageError
    >
  }
>()("@limbeck/distill/report/Shares") {}

/** What sharers of one report at a time may run into each other. */
const collisionsMax = 10

// The token is not repeated: messages are logged and shown.
const unknown = () => new NotFound({ message: "There is no such shared report" })
const dead = () => new Gone({ message: "This link was revoked, was replaced by another one, or has expired" })

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const digest = yield* Digest
  const random = yield* SecureRandom

  const digestOf = (token: string) => digest.digestHex(sha256, new TextEncoder().encode(token))

  const reportOf = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, Report.kind, id)
    return Option.isSome(found) ? found.value.value : yield* notFound("report", id)
  })

  /** Of sharers at the same time the last one wins, and it is alone. */
  const point = (partition: Partition, { createdAt, id, report }: Share.Share) =>
    Effect.gen(function* () {
      const link = { id: report, share: id, createdAt }
      const found = yield* resources.find(partition, Share.linkKind, report)
      if (Option.isNone(found)) yield* resources.insert(partition, Share.linkKind, link)
      else yield* resources.compareAndSet(partition, Share.linkKind, { ...found.value, value: link })
    }).pipe(
      Effect.retry({ times: collisionsMax, while: ({ _tag }) => _tag !== "StorageError" }),
      Effect.catchTags({
        AlreadyExists: () => conflict(`Report ${report} is being shared by others at the same time`),
        RevisionConflict: () => conflict(`Report ${report} is being shared by others at the same time`)
      })
    )

  const share = Effect.fn("Shares.share")(function* (partition: Partition, id: string, expiresInSeconds: number) {
    const { id: report } = yield* reportOf(partition, id)
    const token = Capability.make(partition, yield* random.randomBytes(32))
    const now = yield* Clock.currentTimeMillis
    const made: Share.Share = {
      id: yield* ids.make("shr"),
      report,
      digest: yield* digestOf(token),
      expiresAt: now + expiresInSeconds * 1_000,
      createdAt: now
    }
    yield* storage.transaction(
      Effect.gen(function* () {
        yield* Effect.catchTag(resources.insert(partition, Share.kind, made), "AlreadyExists", Effect.die)
        yield* point(partition, made)
      })
    )
    return { token, expiresAt: made.expiresAt }
  })

  const revoke = Effect.fn("Shares.revoke")(function* (partition: Partition, id: string) {
    const { id: report } = yield* reportOf(partition, id)
    const wasThere = yield* resources.remove(partition, Share.linkKind, report)
    if (!wasThere) return yield* new NotFound({ message: `Report ${report} is not shared` })
  })

  const open = Effect.fn("Shares.open")(function* (token: string) {
    const partition = Capability.partitionOf(token)
    if (partition === undefined) return yield* unknown()
    const found = yield* resources.findUnique(partition, Share.kind, yield* digestOf(token))
    if (Option.isNone(found)) return yield* unknown()
    const { expiresAt, id, report } = found.value.value
    const link = yield* resources.find(partition, Share.linkKind, report)
    const alive = Option.exists(link, ({ value }) => value.share === id)
    if (!alive || expiresAt <= (yield* Clock.currentTimeMillis)) return yield* dead()
    return { partition, report: yield* reportOf(partition, report) }
  })

  return Shares.of({ share, revoke, open })
})

export const layer: Layer.Layer<Shares, never, Storage | ResourceStore | Ids | Digest | SecureRandom> = Layer.effect(
  Shares,
  make
)
