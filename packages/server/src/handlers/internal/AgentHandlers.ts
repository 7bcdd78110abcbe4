/** The routes of agents (contract 9). */
import { AgentsApi, type AgentUpdate } from "@limbeck/api/AgentsApi"
import * as AgentResource from "@limbeck/chat/agent/AgentResource"
import { type AgentPatch, Agents } from "@limbeck/chat/agent/Agents"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

const patchOf = (payload: typeof AgentUpdate.Type): AgentPatch => ({
  name: payload.name,
  instructions: payload.instructions,
  source: payload.source,
  model: payload.model,
  handoffUrl: payload.handoff_url
})

export const make = Effect.map(Agents, (agents) =>
  handlersOf(AgentsApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.map(agents.create(partition, { ...patchOf(payload), name: payload.name }), (agent) =>
        AgentResource.render(partition, agent)
      ),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "agents", query },
        (request) => agents.page(partition, request),
        (items) => items.map((item) => AgentResource.render(partition, item))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(agents.get(partition, params.agent_id), (agent) => AgentResource.render(partition, agent)),
    update: ({ caller: { partition }, params, payload }) =>
      Effect.map(agents.update(partition, params.agent_id, patchOf(payload)), (agent) =>
        AgentResource.render(partition, agent)
      ),
    delete: ({ caller: { partition }, params: { agent_id: id } }) =>
      Effect.as(agents.remove(partition, id), { id, object: "agent" as const, deleted: true as const })
  })
)
