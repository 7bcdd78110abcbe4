/** A host's in-process actions on sources: setting managed sources' prices, forbidden to tenants (contract 16.10). */
import type { SourceModel } from "@limbeck/capture/source/Source"
import * as SourceResource from "@limbeck/capture/source/SourceResource"
import { Sources } from "@limbeck/capture/source/Sources"
import { notFound } from "@limbeck/core/errors/Errors"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The models of a source, with their prices. */
export interface ModelsOfSource {
  /** By name or id. */
  readonly source: string
  readonly models: ReadonlyArray<SourceModel>
  /** Default: true. */
  readonly livemode?: boolean
}

const decodeWorkspace = Schema.decodeUnknownEffect(WorkspaceId)

/** Replaces the models of a source; returns the source in the API's form. */
export const setModels = Effect.fnUntraced(function* (
  workspace: string,
  { livemode = true, models, source }: ModelsOfSource
) {
  const { id } = yield* (yield* Workspaces).get(yield* decodeWorkspace(workspace))
  const partition = Partition.make(id, livemode)
  const sources = yield* Sources
  const found = yield* sources.resolve(partition, source)
  if (Option.isNone(found)) return yield* notFound("source", source)
  return SourceResource.render(partition, yield* sources.update(partition, found.value.id, { models }))
})
