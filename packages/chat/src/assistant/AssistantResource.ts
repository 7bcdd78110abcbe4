/** A conversation with the assistant as its person sees it. */

import { isObject } from "@limbeck/core/json/Json"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { idOf, Timestamp } from "@limbeck/core/resources/WireSchemas"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import type { ConversationState } from "./Assistant.ts"
import type { AssistantConversation } from "./AssistantConversation.ts"
import * as Transcript from "./Transcript.ts"

const AssistantMessage = Schema.Struct({
  type: Schema.Literal("message"),
  role: Schema.Literals(["user", "assistant"]),
  text: Schema.String
}).annotate({ identifier: "AssistantMessage" })

/**
 * An operation that the model requested. `status`: `waiting` for the person's decision, `pending` until the next step, `done` with
 * the HTTP status, the request id and the answer, or `refused` by the person.
 */
const AssistantOperation = Schema.Struct({
  type: Schema.Literal("operation"),
  call: Schema.String,
  operation: Schema.String,
  input: Schema.Unknown,
  status: Schema.Literals(["waiting", "pending", "done", "refused"]),
  status_code: Schema.NullOr(Schema.Int),
  request_id: Schema.NullOr(Schema.String),
  answer: Schema.Unknown
}).annotate({ identifier: "AssistantOperation" })

const common = {
  id: idOf("asc"),
  object: Schema.Literal("assistant_conversation"),
  livemode: Schema.Boolean,
  title: Schema.String,
  source: Schema.String,
  model: Schema.String,
  created_at: Timestamp,
  updated_at: Timestamp
}

export const AssistantSummaryResource = Schema.Struct(common).annotate({ identifier: "AssistantSummary" })

export const AssistantResource = Schema.Struct({
  ...common,
  status: Schema.Literals(["idle", "working", "waiting"]),
  entries: Schema.Array(Schema.Union([AssistantMessage, AssistantOperation]))
}).annotate({ identifier: "AssistantConversation" })

const commonOf = ({ livemode }: Partition, conversation: AssistantConversation) => ({
  id: conversation.id,
  object: "assistant_conversation" as const,
  livemode,
  title: conversation.title,
  source: conversation.source,
  model: conversation.model,
  created_at: toIso(conversation.createdAt),
  updated_at: toIso(conversation.updatedAt)
})

export const renderSummary = Rendered.by(AssistantSummaryResource, commonOf)

const facts = (result: unknown) => {
  const { answer, request_id: requestId, status_code: status } = isObject(result) ? result : {}
  return typeof status === "number"
    ? {
        status: "done" as const,
        status_code: status,
        request_id: typeof requestId === "string" ? requestId : null,
        answer: answer ?? null
      }
    : { status: "refused" as const, status_code: null, request_id: null, answer: null }
}

const operationOf = ({ pending }: ConversationState, { request, result }: Transcript.OperationEntry) => {
  const isWaiting = pending.some(
    ({ decision, needsPerson, request: { call } }) => call === request.call && needsPerson && decision === null
  )
  return {
    type: "operation" as const,
    call: request.call,
    operation: request.operation,
    input: request.input,
    ...(result === undefined
      ? {
          status: isWaiting ? ("waiting" as const) : ("pending" as const),
          status_code: null,
          request_id: null,
          answer: null
        }
      : facts(result))
  }
}

export const render = Rendered.by(AssistantResource, (partition: Partition, state: ConversationState) => ({
  ...commonOf(partition, state.conversation),
  status: state.status,
  entries: Transcript.entriesOf(state.conversation.history).map((entry) =>
    entry.type === "message" ? entry : operationOf(state, entry)
  )
}))
