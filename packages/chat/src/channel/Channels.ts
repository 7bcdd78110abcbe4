/** Channels: made, read, changed and removed. */
import { type ChangedMeanwhile, type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agents } from "../agent/Agents.ts"
import * as Channel from "./Channel.ts"

/** What is absent stays. */
export interface ChannelPatch {
  readonly name?: string | undefined
  readonly kind?: string | undefined
  /** By id; null: none. */
  readonly agent?: string | null | undefined
}

export interface NewChannel extends ChannelPatch {
  readonly name: string
  readonly kind: string
}

export class Channels extends Context.Service<
  Channels,
  {
    readonly create: (
      partition: Partition,
      request: NewChannel
    ) => Effect.Effect<Channel.Channel, NotFound | StorageError>
    /** `field`: the request field that names the channel, for requests with another target. */
    readonly get: (
      partition: Partition,
      id: string,
      field?: string
    ) => Effect.Effect<Channel.Channel, NotFound | StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Channel.Channel>, StorageError>
    readonly update: (
      partition: Partition,
      id: string,
      patch: ChannelPatch
    ) => Effect.Effect<Channel.Channel, NotFound | ChangedMeanwhile | StorageError>
    /** Conversations stay. */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<void, NotFound | StorageError>
  }
>()("@limbeck/chat/channel/Channels") {}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const agents = yield* Agents
  const ids = yield* Ids

  const checkAgent = (partition: Partition, agent: string | null | undefined) =>
    typeof agent === "string" ? Effect.asVoid(agents.get(partition, agent, "agent")) : Effect.void

  const create = Effect.fn("Channels.create")(function* (partition: Partition, { agent, kind, name }: NewChannel) {
    yield* checkAgent(partition, agent)
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.make("chn")
    const channel: Channel.Channel = { id, name, kind, agent: agent ?? null, createdAt: now, updatedAt: now }
    yield* resources.add(partition, Channel.kind, channel)
    return channel
  })

  const update = Effect.fn("Channels.update")(function* (partition: Partition, id: string, patch: ChannelPatch) {
    const { revision, value } = yield* Resources.require(resources, partition, Channel.kind, id)
    yield* checkAgent(partition, patch.agent)
    const channel: Channel.Channel = {
      ...value,
      name: patch.name ?? value.name,
      kind: patch.kind ?? value.kind,
      agent: patch.agent === undefined ? value.agent : patch.agent,
      updatedAt: yield* Clock.currentTimeMillis
    }
    yield* resources.compareAndSet(partition, Channel.kind, { value: channel, revision })
    return channel
  })

  return Channels.of({
    create,
    get: (partition, id, field) => Resources.requireValue(resources, partition, Channel.kind, id, field),
    page: (partition, request) => resources.page(partition, Channel.kind, [], request),
    update: (partition, id, patch) => Writers.inTurn(Channel.kind, id)(update(partition, id, patch)),
    remove: Effect.fn("Channels.remove")(function* (partition, id) {
      if (!(yield* resources.remove(partition, Channel.kind, id))) return yield* notFound(Channel.kind.noun, id)
    })
  })
})

export const layer: Layer.Layer<Channels, never, ResourceStore | Agents | Ids> = Layer.effect(Channels, make)
