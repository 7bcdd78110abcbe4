/** Agents: who answers conversations (contract 4, 9). */

import { CaptureLimits } from "@limbeck/capture/Limits"
import { AgentResource as Agent } from "@limbeck/chat/agent/AgentResource"
import { ChatLimits } from "@limbeck/chat/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { asCreated, idOf, listOf, listQuery, Name, nullMeans, Reference, textUpTo, Url } from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Agent }

const changeable = {
  instructions: Schema.optionalKey(textUpTo(ChatLimits.instructionsMax)),
  source: nullMeans("null: the default source", Reference),
  model: nullMeans(
    "null: the first that the source names",
    Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.modelIdMax))
  ),
  handoff_url: nullMeans("null: none", Url)
}

export const AgentCreate = Schema.Struct({ name: Name, ...changeable }).annotate({ identifier: "AgentCreate" })
export const AgentUpdate = Schema.Struct({ name: Schema.optionalKey(Name), ...changeable }).annotate({
  identifier: "AgentUpdate"
})

export const AgentDeleted = Schema.Struct({
  id: idOf("agt"),
  object: Schema.Literal("agent"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "AgentDeleted" })

const params = { agent_id: idOf("agt") }
const read = { access: "agents:read" } as const
const write = { access: "agents:write" } as const

export class AgentsApi extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.post("create", "/v1/agents", {
      payload: AgentCreate,
      success: asCreated(Agent),
      error: writeErrors
    }).annotateMerge(
      operation("createAgent", "Who answers: instructions, a source and a model", {
        ...write,
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/agents", {
      query: listQuery,
      success: listOf(Agent),
      error: readErrors
    }).annotateMerge(operation("listAgents", "Agents of the caller's mode, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/agents/:agent_id", { params, success: Agent, error: readErrors }).annotateMerge(
      operation("getAgent", "One agent", read)
    )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/agents/:agent_id", {
      params,
      payload: AgentUpdate,
      success: Agent,
      error: writeErrors
    }).annotateMerge(operation("updateAgent", "Change an agent; what is absent stays", write))
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/agents/:agent_id", {
      params,
      success: AgentDeleted,
      error: writeErrors
    }).annotateMerge(operation("deleteAgent", "Delete an agent; its conversations stay", write))
  )
  .annotateMerge(about("Who answers conversations: instructions, a source and a model.")) {}
