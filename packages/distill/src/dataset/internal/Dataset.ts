/** A dataset: a name for immutable versions. */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"

export const DatasetId = Id.schema("ds")
export type DatasetId = typeof DatasetId.Type

export const Dataset = Schema.Struct({
  id: DatasetId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  loop: Schema.NullOr(Schema.String),
  createdAt: Millis
})
export type Dataset = typeof Dataset.Type

export const kind = Kind.make({ name: "dataset", schema: Dataset })
