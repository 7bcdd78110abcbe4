/** A pull: the rows of a connector on their way in, and what they turned out to be (contract 6). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { ConnectorId } from "../connector/Connector.ts"
import * as BlobLabel from "../retention/internal/BlobLabel.ts"
import { LineError } from "../upload/Upload.ts"

export const PullId = Id.schema("pull")
export type PullId = typeof PullId.Type

export const PullStatus = Schema.Literals(["queued", "running", "succeeded", "failed"])
export type PullStatus = typeof PullStatus.Type

export const Pull = Schema.Struct({
  id: PullId,
  connector: ConnectorId,
  status: PullStatus,
  /** How often a worker took it up. */
  starts: Schema.Int,
  /** Set when the whole content is stored. */
  blob: Schema.NullOr(Schema.Struct({ sha256: Schema.String, bytes: Schema.Int })),
  gzip: Schema.Boolean,
  rows: Schema.NullOr(Schema.Int),
  errors: Schema.Array(LineError),
  errorCount: Schema.Int,
  /** Why it failed. */
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  /** From then on no version is made of it, and a day later its content may be gone. */
  contentGoneAt: Schema.optionalKey(Millis),
  createdAt: Millis,
  startedAt: Schema.NullOr(Millis),
  finishedAt: Schema.NullOr(Millis),
  updatedAt: Millis
})
export type Pull = typeof Pull.Type

export const kind = Kind.make({
  name: "connector_pull",
  noun: "pull",
  schema: Pull,
  labels: (pull) => [
    `status:${pull.status}`,
    `connector:${pull.connector}`,
    ...BlobLabel.labels(pull.blob === null ? [] : [pull.blob.sha256])
  ]
})

/** The queue topic on which pulls wait for a worker. */
export const topic = "pull"
