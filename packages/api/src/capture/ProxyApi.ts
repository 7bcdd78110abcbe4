/** The proxy (service-api 4.2, contract 7): bodies pass as they are, so the shapes are the upstream's. */
import { CaptureLimits } from "@limbeck/capture/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { documented } from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, at, operation, writeErrors } from "../contract/Operation.ts"

const header = (description: string, rule: Schema.JsonObject) =>
  Schema.optionalKey(Schema.String.check(documented(rule)).annotate({ description }))

const source = header("A source by its name or id; absent: the default one", {
  pattern: "^[a-z0-9][a-z0-9._-]*$",
  maxLength: Limits.referenceMax
})

/** Between commas: no label is longer. */
const label = `[^,]{0,${CaptureLimits.tagMax}}`

/** Each is the default brand's; a host of another name has its own. */
const headers = {
  "X-Service-Source": source,
  "X-Service-Tags": header("Labels of the call, with commas between them: at most 16, each of at most 64 characters", {
    pattern: `^${label}(,${label}){0,${CaptureLimits.tagsMax - 1}}$`
  }),
  "X-Service-External-Id": header("The caller's own key of the call, at most 255 characters; it is echoed", {
    maxLength: CaptureLimits.externalIdMax
  })
}

const passed = (example: Schema.JsonObject) =>
  [
    Schema.JsonObject.annotate({ description: "What the upstream answers, as it is", examples: [example] }),
    Schema.String.annotate({ description: "The upstream's stream, byte for byte" }).pipe(
      HttpApiSchema.asText({ contentType: "text/event-stream" })
    )
  ] as const

const error = [...writeErrors, at(402), at(502), at(504)] as const

const facts = { access: "proxy:write", workflowStage: "capture" } as const

const taken = (example: Schema.JsonObject) =>
  Schema.JsonObject.annotate({
    description: "What the upstream takes, passed on byte for byte; a model of the form svc:<alias> is a deployment",
    examples: [example]
  })

const model = "svc:support"
const question = "I want my money back"
const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 }
const examples = {
  chat: { model, messages: [{ role: "user", content: question }] },
  chatAnswer: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_795_000_000,
    model,
    choices: [{ index: 0, message: { role: "assistant", content: "refund" }, finish_reason: "stop" }],
    usage
  },
  completions: { model: "gpt-3.5-turbo-instruct", prompt: question },
  completionsAnswer: {
    id: "cmpl-1",
    object: "text_completion",
    created: 1_795_000_000,
    model: "gpt-3.5-turbo-instruct",
    choices: [{ index: 0, text: "refund", finish_reason: "stop" }],
    usage
  },
  embeddings: { model: "text-embedding-3-small", input: question },
  embeddingsAnswer: { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.0023, -0.0093] }] },
  responses: { model: "gpt-4.1-mini", input: question },
  responsesAnswer: { id: "resp_1", object: "response", status: "completed", output: [] },
  models: { object: "list", data: [{ id: model, object: "model", owned_by: "deployment" }] },
  model: { id: model, object: "model", created: 1_795_000_000, owned_by: "deployment" }
}

export class ProxyApi extends HttpApiGroup.make("proxy")
  .add(
    HttpApiEndpoint.post("chatCompletions", "/v1/proxy/chat/completions", {
      headers,
      payload: taken(examples.chat),
      success: passed(examples.chatAnswer),
      error
    }).annotateMerge(operation("proxyChatCompletions", "A chat completion by a source, streamed if asked", facts))
  )
  .add(
    HttpApiEndpoint.post("completions", "/v1/proxy/completions", {
      headers,
      payload: taken(examples.completions),
      success: passed(examples.completionsAnswer),
      error
    }).annotateMerge(
      operation("proxyCompletions", "A legacy completion of a prompt by a source, streamed if asked", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("embeddings", "/v1/proxy/embeddings", {
      headers,
      payload: taken(examples.embeddings),
      success: passed(examples.embeddingsAnswer),
      error
    }).annotateMerge(operation("proxyEmbeddings", "Embeddings by a source", facts))
  )
  .add(
    HttpApiEndpoint.post("responses", "/v1/proxy/responses", {
      headers,
      payload: taken(examples.responses),
      success: passed(examples.responsesAnswer),
      error
    }).annotateMerge(operation("proxyResponses", "A response by a source, streamed if asked", facts))
  )
  .add(
    HttpApiEndpoint.get("models", "/v1/proxy/models", {
      headers: { "X-Service-Source": source },
      success: Schema.JsonObject.annotate({
        description: "The models of the source, and svc:<alias> of what is deployed",
        examples: [examples.models]
      }),
      error
    }).annotateMerge(operation("proxyModels", "The models of a source, as a chat-completions client asks", facts))
  )
  .add(
    HttpApiEndpoint.get("model", "/v1/proxy/models/:model", {
      headers: { "X-Service-Source": source },
      params: { model: Schema.String.check(Characters.isMaxCharacters(Limits.referenceMax)) },
      success: Schema.JsonObject.annotate({
        description: "What the source says of the model, or the deployment that is svc:<alias>",
        examples: [examples.model]
      }),
      error
    }).annotateMerge(operation("proxyModel", "One model of a source, or one that is deployed", facts))
  )
  .annotateMerge(about("The chat-completions-compatible data plane: captures calls and serves deployments.")) {}
