/** An agent as callers see it. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Agent } from "./Agent.ts"

export const render = ({ livemode }: Partition, agent: Agent) => ({
  id: agent.id,
  object: "agent" as const,
  livemode,
  name: agent.name,
  instructions: agent.instructions,
  source: agent.source,
  model: agent.model,
  handoff_url: agent.handoffUrl,
  created_at: toIso(agent.createdAt),
  updated_at: toIso(agent.updatedAt)
})
