/** Agents: made, read, changed and removed. */
import { Sources } from "@limbeck/capture/source/Sources"
import * as TenantUrl from "@limbeck/core/egress/TenantUrl"
import {
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
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
import * as Option from "effect/Option"
import * as Agent from "./Agent.ts"

/** What is absent stays; of a new agent it is nothing. */
export interface AgentPatch {
  readonly name?: string | undefined
  readonly instructions?: string | undefined
  /** By name or id; null: the default one. */
  readonly source?: string | null | undefined
  readonly model?: string | null | undefined
  readonly handoffUrl?: string | null | undefined
}

export interface NewAgent extends AgentPatch {
  readonly name: string
}

type Refusal = InvalidInput | ReferenceUnknown | StorageError

export class Agents extends Context.Service<
  Agents,
  {
    readonly create: (partition: Partition, request: NewAgent) => Effect.Effect<Agent.Agent, Refusal>
    /** `field`: the request field that names the agent, for requests with another target. */
    readonly get: (
      partition: Partition,
      id: string,
      field?: string
    ) => Effect.Effect<Agent.Agent, NotFound | StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Agent.Agent>, StorageError>
    readonly update: (
      partition: Partition,
      id: string,
      patch: AgentPatch
    ) => Effect.Effect<Agent.Agent, Refusal | NotFound | ChangedMeanwhile>
    /** Conversations stay; a question that this agent would answer must name another. */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<void, NotFound | StorageError>
  }
>()("@limbeck/chat/agent/Agents") {}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const sources = yield* Sources
  const ids = yield* Ids

  const sourceOf = Effect.fnUntraced(function* (partition: Partition, nameOrId: string) {
    const found = yield* sources.resolve(partition, nameOrId)
    return Option.isSome(found) ? found.value.id : yield* referenceUnknown("source", nameOrId, "source")
  })

  const handoffOf = (url: string) => {
    const fault = TenantUrl.httpFault(url)
    return fault === undefined ? Effect.succeed(url) : Effect.fail(invalid("handoff_url", fault))
  }

  const patched = Effect.fnUntraced(function* (partition: Partition, agent: Agent.Agent, patch: AgentPatch) {
    const source = typeof patch.source === "string" ? yield* sourceOf(partition, patch.source) : patch.source
    const handoffUrl = typeof patch.handoffUrl === "string" ? yield* handoffOf(patch.handoffUrl) : patch.handoffUrl
    const value: Agent.Agent = {
      ...agent,
      name: patch.name ?? agent.name,
      instructions: patch.instructions ?? agent.instructions,
      source: source === undefined ? agent.source : source,
      model: patch.model === undefined ? agent.model : patch.model,
      handoffUrl: handoffUrl === undefined ? agent.handoffUrl : handoffUrl
    }
    return value
  })

  const create = Effect.fn("Agents.create")(function* (partition: Partition, request: NewAgent) {
    const now = yield* Clock.currentTimeMillis
    const blank: Agent.Agent = {
      id: yield* ids.make("agt"),
      name: request.name,
      instructions: "",
      source: null,
      model: null,
      handoffUrl: null,
      createdAt: now,
      updatedAt: now
    }
    const agent = yield* patched(partition, blank, request)
    yield* resources.add(partition, Agent.kind, agent)
    return agent
  })

  const update = Effect.fn("Agents.update")(function* (partition: Partition, id: string, patch: AgentPatch) {
    const { revision, value } = yield* Resources.require(resources, partition, Agent.kind, id)
    const changed = yield* patched(partition, value, patch)
    const agent: Agent.Agent = { ...changed, updatedAt: yield* Clock.currentTimeMillis }
    yield* resources.compareAndSet(partition, Agent.kind, { value: agent, revision })
    return agent
  })

  return Agents.of({
    create,
    get: (partition, id, field) => Resources.requireValue(resources, partition, Agent.kind, id, field),
    page: (partition, request) => resources.page(partition, Agent.kind, [], request),
    update: (partition, id, patch) => Writers.inTurn(Agent.kind, id)(update(partition, id, patch)),
    remove: Effect.fn("Agents.remove")(function* (partition, id) {
      if (!(yield* resources.remove(partition, Agent.kind, id))) return yield* notFound(Agent.kind.noun, id)
    })
  })
})

export const layer: Layer.Layer<Agents, never, ResourceStore | Sources | Ids> = Layer.effect(Agents, make)
