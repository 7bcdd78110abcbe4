/** Conversations of a person with the assistant (contract 16.49). The routes are internal: the document does not show them. */
import {
  AssistantResource as AssistantConversation,
  AssistantSummaryResource as AssistantSummary
} from "@limbeck/chat/assistant/AssistantResource"
import { ChatLimits } from "@limbeck/chat/Limits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { asCreated, idOf, listOf, listQuery, Name, Reference, textUpTo } from "../contract/Common.ts"
import { at, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { AssistantConversation, AssistantSummary }

export const AssistantCreate = Schema.Struct({ source: Reference, model: Name }).annotate({
  identifier: "AssistantCreate"
})

export const AssistantMessageCreate = Schema.Struct({
  text: textUpTo(ChatLimits.assistantTextMax).check(Schema.isMinLength(1))
}).annotate({ identifier: "AssistantMessageCreate" })

/** `call`: the operation that waits, as the conversation names it. */
export const AssistantDecision = Schema.Struct({ call: Reference, approve: Schema.Boolean }).annotate({
  identifier: "AssistantDecision"
})

export const AssistantDeleted = Schema.Struct({
  id: idOf("asc"),
  object: Schema.Literal("assistant_conversation"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "AssistantDeleted" })

const path = "/v1/assistant/conversations"
const one = `${path}/:conversation_id` as const
const params = { conversation_id: idOf("asc") }
const people = { access: "token", humanOnly: "assistant" } as const
const answerErrors = [...writeErrors, at(402), at(502), at(504)] as const
const changed = AssistantConversation.pipe(HttpApiSchema.status(200))

export class AssistantApi extends HttpApiGroup.make("assistant")
  .add(
    HttpApiEndpoint.post("create", path, {
      payload: AssistantCreate,
      success: asCreated(AssistantConversation),
      error: writeErrors
    }).annotateMerge(
      operation("createAssistantConversation", "Begin a conversation with a model of a source", {
        ...people,
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", path, {
      query: listQuery,
      success: listOf(AssistantSummary),
      error: readErrors
    }).annotateMerge(operation("listAssistantConversations", "The person's conversations, newest first", people))
  )
  .add(
    HttpApiEndpoint.get("get", one, { params, success: AssistantConversation, error: readErrors }).annotateMerge(
      operation("getAssistantConversation", "One conversation with its operations", people)
    )
  )
  .add(
    HttpApiEndpoint.delete("remove", one, { params, success: AssistantDeleted, error: writeErrors }).annotateMerge(
      operation("deleteAssistantConversation", "Delete a conversation; what its operations did stays", people)
    )
  )
  .add(
    HttpApiEndpoint.post("post", `${one}/messages`, {
      params,
      payload: AssistantMessageCreate,
      success: changed,
      error: writeErrors
    }).annotateMerge(
      operation("createAssistantMessage", "Add a message to an idle conversation", {
        ...people,
        idempotency: "supported"
      })
    )
  )
  .add(
    HttpApiEndpoint.post("decide", `${one}/decisions`, {
      params,
      payload: AssistantDecision,
      success: changed,
      error: writeErrors
    }).annotateMerge(
      operation("decideAssistantOperation", "Approve or refuse an operation that waits for the person", people)
    )
  )
  .add(
    HttpApiEndpoint.post("cancel", `${one}/cancel`, { params, success: changed, error: answerErrors }).annotateMerge(
      operation("cancelAssistantTurn", "End the turn; operations without a result do not run", people)
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}

/** The step runs operations as the person, so its handler reads the request itself. */
export class AssistantStepApi extends HttpApiGroup.make("assistant_step")
  .add(
    HttpApiEndpoint.post("step", `${one}/steps`, { params, success: changed, error: answerErrors }).annotateMerge(
      operation("stepAssistant", "Ask the model once, or run the decided operations", people)
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
