/** An agent as callers see it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { Agent } from "./Agent.ts"

export const AgentResource = Schema.Struct({
  id: idOf("agt"),
  object: Schema.Literal("agent"),
  livemode: Schema.Boolean,
  name: Schema.String,
  instructions: Schema.String,
  source: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  handoff_url: Schema.NullOr(UrlShown),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({
  identifier: "Agent",
  description: "Without a source the default one is asked, and without a model the first that the source names"
})

export const render = Rendered.by(AgentResource, ({ livemode }: Partition, agent: Agent) => ({
  id: agent.id,
  object: "agent",
  livemode,
  name: agent.name,
  instructions: agent.instructions,
  source: agent.source,
  model: agent.model,
  handoff_url: agent.handoffUrl,
  created_at: toIso(agent.createdAt),
  updated_at: toIso(agent.updatedAt)
}))
