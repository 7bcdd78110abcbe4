/** Reports shared by link: an expiring and revocable capability. */
import type { ChangedMeanwhile, NotFound, StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ReportNotShared, SharedReportGone, SharedReportUnknown } from "../Errors.ts"
import * as Capability from "../upload/internal/Capability.ts"
import * as Share from "./internal/Share.ts"
import * as Report from "./Report.ts"
import * as ReportNames from "./ReportNames.ts"

export interface NewShare {
  /** Shown this once: storage keeps its digest. */
  readonly token: string
  readonly expiresAt: Millis
}

export class Shares extends Context.Service<
  Shares,
  {
    /** Creates a link with a lifetime in seconds, and revokes the previous link. */
    readonly share: (
      partition: Partition,
      report: string,
      expiresInSeconds: number
    ) => Effect.Effect<NewShare, NotFound | ChangedMeanwhile | StorageError>
    /** The link is dead at once. */
    readonly revoke: (
      partition: Partition,
      report: string
    ) => Effect.Effect<void, NotFound | ReportNotShared | StorageError>
    /** Opens the report of a token. */
    readonly open: (
      token: string
    ) => Effect.Effect<
      { readonly partition: Partition; readonly report: Report.Report },
      NotFound | SharedReportUnknown | SharedReportGone | StorageError
    >
    /** The names in the title of an opened report. */
    readonly namesOf: (
      partition: Partition,
      report: Report.Report
    ) => Effect.Effect<ReportNames.ReportNames, StorageError>
  }
>()("@limbeck/distill/report/Shares") {}

/** Maximum retries after concurrent shares of one report. */
const collisionsMax = 10

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const capabilities = yield* Capability.make

  const reportOf = (partition: Partition, id: string) => Resources.requireValue(resources, partition, Report.kind, id)

  /** Of concurrent shares the last one wins with the only valid link. */
  const point = (partition: Partition, { createdAt, id, report }: Share.Share) =>
    Effect.gen(function* () {
      const link = { id: report, share: id, createdAt }
      const found = yield* resources.find(partition, Share.linkKind, report)
      if (Option.isNone(found)) yield* resources.insert(partition, Share.linkKind, link)
      else yield* resources.compareAndSet(partition, Share.linkKind, { ...found.value, value: link })
    }).pipe(
      Effect.retry({ times: collisionsMax, while: ({ _tag }) => _tag !== "StorageError" }),
      Effect.catchTags({
        AlreadyExists: () => Writers.concurrentChange(Share.linkKind, report),
        RevisionConflict: () => Writers.concurrentChange(Share.linkKind, report)
      })
    )

  const share = Effect.fn("Shares.share")(function* (partition: Partition, id: string, expiresInSeconds: number) {
    const { id: report } = yield* reportOf(partition, id)
    const now = yield* Clock.currentTimeMillis
    const expiresAt = now + expiresInSeconds * 1_000
    const token = yield* storage.transaction(
      Effect.gen(function* () {
        const { digest, text } = yield* capabilities.issue(partition)
        const made = { id: yield* ids.make("shr"), report, digest, expiresAt, createdAt: now }
        yield* resources.add(partition, Share.kind, made)
        yield* point(partition, made)
        return text
      })
    )
    return { token, expiresAt }
  })

  const revoke = Effect.fn("Shares.revoke")(function* (partition: Partition, id: string) {
    const { id: report } = yield* reportOf(partition, id)
    const wasThere = yield* resources.remove(partition, Share.linkKind, report)
    if (!wasThere) return yield* new ReportNotShared({ id: report })
  })

  const open = Effect.fn("Shares.open")(function* (token: string) {
    const partition = yield* capabilities.partitionOf(token)
    if (partition === undefined) return yield* new SharedReportUnknown()
    const found = yield* resources.findUnique(partition, Share.kind, yield* capabilities.digestOf(token))
    if (Option.isNone(found)) return yield* new SharedReportUnknown()
    const { expiresAt, id, report } = found.value.value
    const link = yield* resources.find(partition, Share.linkKind, report)
    const alive = Option.exists(link, ({ value }) => value.share === id)
    if (!alive || expiresAt <= (yield* Clock.currentTimeMillis)) return yield* new SharedReportGone()
    return { partition, report: yield* reportOf(partition, report) }
  })

  const namesOf = (partition: Partition, report: Report.Report) => ReportNames.read(resources, partition, report)

  return Shares.of({ share, revoke, open, namesOf })
})

export const layer: Layer.Layer<Shares, never, Storage | ResourceStore | Ids | Digest | SecureRandom> = Layer.effect(
  Shares,
  make
)
