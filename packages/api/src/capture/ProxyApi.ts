/** The proxy (service-api 4.2, contract 7): bodies pass unchanged, so their shapes are the upstream's. */
import { CaptureLimits } from "@limbeck/capture/Limits"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as Characters from "@limbeck/core/text/Characters"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { documentRule } from "../contract/Common.ts"
import { about, at, operation, writeErrors } from "../contract/Operation.ts"

const header = (description: string, rule: Schema.JsonObject) =>
  Schema.optionalKey(Schema.String.check(documentRule(rule)).annotate({ description }))

const source = header("A source by its name or id; absent: the default one", {
  pattern: "^[a-z0-9][a-z0-9._-]*$",
  maxLength: CoreLimits.referenceMax
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
const listedModel = {
  id: model,
  object: "model",
  created: 1_795_000_000,
  owned_by: "deployment",
  type: "model",
  display_name: model,
  created_at: "2026-11-18T12:26:40.000Z"
}
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
  messages: { model: "claude-sonnet-4-5", max_tokens: 1_024, messages: [{ role: "user", content: question }] },
  messagesAnswer: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "refund" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 1 }
  },
  tokens: { model: "claude-sonnet-4-5", messages: [{ role: "user", content: question }] },
  models: {
    object: "list",
    data: [listedModel],
    models: [{ name: model, description: model, release_date: "2026-11-18" }],
    has_more: false,
    first_id: model,
    last_id: model
  },
  model: listedModel
}

const decision = {
  type: "choice",
  instructions: "Which team answers?"
}
const decisionAnswer = {
  confidence: 0.92,
  probabilities: [
    { value: "billing", probability: 0.96 },
    { value: "tech", probability: 0.04 }
  ]
}
const decisionExamples = {
  decisions: {
    model: "gpt-6-luna",
    input: question,
    questions: [{ ...decision, name: "team", choices: [{ value: "billing", description: "money" }, { value: "tech" }] }]
  },
  decisionsAnswer: {
    model: "gpt-6-luna",
    answers: [{ type: "choice", name: "team", choice: "billing", ...decisionAnswer }],
    usage: { input_tokens: 31, output_tokens: 0, total_tokens: 31 }
  },
  systemOne: {
    model: "jev-1.14.0",
    state: { message: question },
    questions: { team: { ...decision, criteria: { billing: "money", tech: null } } }
  },
  systemOneAnswer: {
    model: "jev-1.14.0",
    answers: {
      team: { type: "choice", choice: "billing", confidence: 0.92, probabilities: { billing: 0.96, tech: 0.04 } }
    },
    usage: { input_tokens: 31, output_tokens: 0 }
  }
}

const decisionsOf = (request: Schema.JsonObject, answer: Schema.JsonObject) => ({
  headers,
  payload: Schema.JsonObject.annotate({
    description:
      "A request for decisions in OpenAI's form (a list of questions) or System One's (a map), passed on byte for byte whatever the route",
    examples: [request]
  }),
  success: Schema.JsonObject.annotate({ description: "What the upstream answers, as it is", examples: [answer] }),
  error
})
const decisions = decisionsOf(decisionExamples.decisions, decisionExamples.decisionsAnswer)
const systemOne = decisionsOf(decisionExamples.systemOne, decisionExamples.systemOneAnswer)

const messages = {
  headers,
  payload: taken(examples.messages),
  success: passed(examples.messagesAnswer),
  error
}
const countTokens = {
  headers: { "X-Service-Source": source },
  payload: taken(examples.tokens),
  success: Schema.JsonObject.annotate({
    description: "The count of the upstream, as it is",
    examples: [{ input_tokens: 12 }]
  }),
  error
}
const models = {
  headers: { "X-Service-Source": source },
  success: Schema.JsonObject.annotate({
    description:
      "The models of the source and svc:<alias> of each deployment, in one form for the clients of all dialects",
    examples: [examples.models]
  }),
  error
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
    HttpApiEndpoint.post("decisions", "/v1/proxy/decisions", decisions).annotateMerge(
      operation("proxyDecisions", "Decisions by a source, for questions in OpenAI's form or System One's", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("decisionsAlpha", "/v1/proxy/api/alpha/decisions", systemOne).annotateMerge(
      operation("proxyAlphaDecisions", "Decisions by a source, at the path of OpenRouter's clients", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("systemOne", "/v1/proxy/systemone", systemOne).annotateMerge(
      operation("proxySystemOne", "Decisions by a source, for questions in System One's form or OpenAI's", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("systemOneV1", "/v1/proxy/v1/systemone", systemOne).annotateMerge(
      operation("proxyPrefixedSystemOne", "Decisions by a source, at the path that System One's clients append", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("messages", "/v1/proxy/messages", messages).annotateMerge(
      operation("proxyMessages", "A message by a source of Anthropic's dialect, streamed if asked", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("messagesV1", "/v1/proxy/v1/messages", messages).annotateMerge(
      operation("proxyPrefixedMessages", "A message, at the path that Anthropic's clients append to a base URL", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("countTokens", "/v1/proxy/messages/count_tokens", countTokens).annotateMerge(
      operation("proxyCountTokens", "The tokens of a message's input, counted by a source; not captured", facts)
    )
  )
  .add(
    HttpApiEndpoint.post("countTokensV1", "/v1/proxy/v1/messages/count_tokens", countTokens).annotateMerge(
      operation(
        "proxyPrefixedCountTokens",
        "The tokens of a message's input, at the path of Anthropic's clients",
        facts
      )
    )
  )
  .add(
    HttpApiEndpoint.get("models", "/v1/proxy/models", models).annotateMerge(
      operation("proxyModels", "The models of a source and of deployments", facts)
    )
  )
  .add(
    HttpApiEndpoint.get("modelsV1", "/v1/proxy/v1/models", models).annotateMerge(
      operation("proxyPrefixedModels", "The models, at the path that clients append to a base URL", facts)
    )
  )
  .add(
    HttpApiEndpoint.get("model", "/v1/proxy/models/:model", {
      headers: { "X-Service-Source": source },
      params: { model: Schema.String.check(Characters.isMaxCharacters(CoreLimits.referenceMax)) },
      success: Schema.JsonObject.annotate({
        description: "What the source says of the model, or the deployment that is svc:<alias>",
        examples: [examples.model]
      }),
      error
    }).annotateMerge(operation("proxyModel", "One model of a source, or one that is deployed", facts))
  )
  .annotateMerge(
    about("The data plane: captures calls in the dialects of OpenAI and Anthropic, and serves deployments.")
  ) {}
