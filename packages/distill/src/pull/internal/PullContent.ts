/** Fetches a pull's content from its connector into one blob, or fails with the reason. */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { type StorageError, TooLarge } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Stream from "effect/Stream"
import { Connectors, type OpenConnector } from "../../connector/Connectors.ts"
import { headerOf } from "../../connector/internal/ConnectorRules.ts"
import * as HttpJsonl from "../../connector/internal/HttpJsonl.ts"
import { PullFailure } from "../../connector/internal/PullFailure.ts"
import * as S3Objects from "../../connector/internal/S3Objects.ts"
import * as StoredCompletions from "../../connector/internal/StoredCompletions.ts"
import { ObjectStore } from "../../connector/ObjectStore.ts"
import { Remote } from "../../connector/Remote.ts"
import { DistillLimits } from "../../Limits.ts"
import { Gunzip } from "../../upload/Gunzip.ts"
import * as UploadContent from "../../upload/internal/UploadContent.ts"
import { PullEvent } from "../PullMachine.ts"

interface Places {
  readonly remote: Remote["Service"]
  readonly objects: ObjectStore["Service"]
  readonly gunzip: Gunzip["Service"]
}

const contentOf = (
  { gunzip, objects, remote }: Places,
  livemode: boolean,
  { credential, rule }: OpenConnector
): Stream.Stream<Uint8Array, PullFailure> => {
  const secret = credential === null ? null : Redacted.value(credential)
  switch (rule.kind) {
    case "openai_stored_completions":
      return StoredCompletions.content(remote, { config: rule.config, apiKey: secret ?? "", livemode })
    case "s3":
      return S3Objects.content({ store: objects, gunzip }, { config: rule.config, credential: secret ?? "", livemode })
    case "http_jsonl": {
      const headers = secret === null ? {} : Object.fromEntries([headerOf(secret)])
      return HttpJsonl.content(remote, { url: rule.config.url, livemode, headers })
    }
  }
}

const tooLarge = () => new TooLarge({ content: "pull", bytesMax: DistillLimits.uploadBytesMax })

const tooLong = new PullFailure({
  code: "timeout",
  message: `The content did not come within ${DistillLimits.pullMillis / 60_000} minutes`,
  again: "never"
})

export const make = Effect.gen(function* () {
  const blobs = yield* Blobs
  const connectors = yield* Connectors
  const places: Places = { remote: yield* Remote, objects: yield* ObjectStore, gunzip: yield* Gunzip }

  const fetchOnce = Effect.fnUntraced(function* (partition: Partition, connector: OpenConnector) {
    const head: Array<number> = []
    const bytes = UploadContent.atMost(
      contentOf(places, partition.livemode, connector),
      DistillLimits.uploadBytesMax,
      tooLarge
    )
    const blob = yield* blobs.put(partition, UploadContent.sniff(bytes, head))
    return PullEvent.ContentArrived({ blob, gzip: UploadContent.isGzip(head) })
  })

  /** The whole content, or why it cannot be had. */
  return (partition: Partition, connectorId: string): Effect.Effect<PullEvent, StorageError> =>
    Effect.gen(function* () {
      const connector = yield* connectors.open(partition, connectorId)
      return yield* fetchOnce(partition, connector).pipe(
        Effect.retry({
          schedule: Schedule.exponential(DistillLimits.pullBackoffMillis),
          times: DistillLimits.pullRestartsMax,
          while: (error) => error._tag === "PullFailure" && error.again === "anew"
        })
      )
    }).pipe(
      Effect.timeoutOrElse({ duration: DistillLimits.pullMillis, orElse: () => tooLong }),
      Effect.catchTags({
        PullFailure: ({ code, message }) => Effect.succeed(PullEvent.Failed({ code, message })),
        TooLarge: ({ bytesMax }) =>
          Effect.succeed(PullEvent.Failed({ code: "too_large", message: `The pull is larger than ${bytesMax} bytes` })),
        NotFound: () =>
          Effect.succeed(PullEvent.Failed({ code: "connector_gone", message: "The connector was removed" }))
      })
    )
})
