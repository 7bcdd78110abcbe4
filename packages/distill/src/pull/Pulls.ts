/** Pulls as callers see them: asked for, then watched. The pull worker does them. */
import type { NotFound, StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Connector from "../connector/Connector.ts"
import * as Pull from "./Pull.ts"

export interface PullFilter {
  readonly connector: string | null
  readonly status: Pull.PullStatus | null
}

export class Pulls extends Context.Service<
  Pulls,
  {
    /** A pull that waits for a worker. */
    readonly create: (partition: Partition, connector: string) => Effect.Effect<Pull.Pull, NotFound | StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Pull.Pull, NotFound | StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: PullFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Pull.Pull>, StorageError>
  }
>()("@limbeck/distill/pull/Pulls") {}

const labelsOf = ({ connector, status }: PullFilter): ReadonlyArray<string> => [
  ...(connector === null ? [] : [`connector:${connector}`]),
  ...(status === null ? [] : [`status:${status}`])
]

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const ids = yield* Ids

  const create = Effect.fn("Pulls.create")(function* (partition: Partition, connectorId: string) {
    const connector = yield* Resources.requireValue(resources, partition, Connector.kind, connectorId)
    const now = yield* Clock.currentTimeMillis
    const pull: Pull.Pull = {
      id: yield* ids.make("pull"),
      connector: connector.id,
      status: "queued",
      starts: 0,
      blob: null,
      gzip: false,
      rows: null,
      errors: [],
      errorCount: 0,
      error: null,
      createdAt: now,
      startedAt: null,
      finishedAt: null,
      updatedAt: now
    }
    yield* storage.transaction(
      Effect.gen(function* () {
        yield* resources.add(partition, Pull.kind, pull)
        yield* queue.offer(partition, Pull.topic, pull.id, now)
        yield* queue.nudge(Pull.topic)
      })
    )
    return pull
  })

  const get = (partition: Partition, id: string) => Resources.requireValue(resources, partition, Pull.kind, id)

  const page = (partition: Partition, filter: PullFilter, request: PageRequest) =>
    resources.page(partition, Pull.kind, labelsOf(filter), request)

  return Pulls.of({ create, get, page })
})

export const layer: Layer.Layer<Pulls, never, Storage | ResourceStore | Queue | Ids> = Layer.effect(Pulls, make)
