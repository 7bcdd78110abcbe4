/** An upstream that speaks chat completions, responses and Anthropic's messages, in the shapes of the clients' own types. */
import type { IncomingMessage, RequestListener } from "node:http"
import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"

interface SentBody {
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly tools?: ReadonlyArray<unknown>
}

/** The call that is answered where tools are offered. */
export const call = { id: "call_7", name: "weather", input: { city: "Paris" } }
const args = JSON.stringify(call.input)
const text = "Paris"

const chatUsage: OpenAI.CompletionUsage = {
  prompt_tokens: 11,
  completion_tokens: 3,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 4 }
}

const chatHead = { id: "chatcmpl-upstream", created: 7, model: "gpt" }

const chatWhole = (callsTool: boolean): OpenAI.ChatCompletion => ({
  ...chatHead,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      logprobs: null,
      finish_reason: callsTool ? "tool_calls" : "stop",
      message: {
        role: "assistant",
        content: text,
        refusal: null,
        ...(callsTool
          ? { tool_calls: [{ id: call.id, type: "function", function: { name: call.name, arguments: args } }] }
          : {})
      }
    }
  ],
  usage: chatUsage
})

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta

const chatChunk = (
  delta: Delta,
  finish_reason: OpenAI.ChatCompletionChunk.Choice["finish_reason"] = null
): OpenAI.ChatCompletionChunk => ({
  ...chatHead,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason, logprobs: null }]
})

const chatChunks = (callsTool: boolean, countsUsage: boolean): ReadonlyArray<OpenAI.ChatCompletionChunk | "[DONE]"> => [
  chatChunk({ role: "assistant", content: "", refusal: null }),
  chatChunk({ content: "Pa" }),
  chatChunk({ content: "ris" }),
  ...(callsTool
    ? [
        chatChunk({
          tool_calls: [{ index: 0, id: call.id, type: "function", function: { name: call.name, arguments: "" } }]
        }),
        chatChunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(0, 5) } }] }),
        chatChunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(5) } }] })
      ]
    : []),
  chatChunk({}, callsTool ? "tool_calls" : "stop"),
  ...(countsUsage ? [{ ...chatChunk({}), choices: [], usage: chatUsage }] : []),
  "[DONE]"
]

type Item = OpenAI.Responses.ResponseOutputItem

const textItem = (said: string): OpenAI.Responses.ResponseOutputMessage => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: said, annotations: [], logprobs: [] }]
})

const callItem: OpenAI.Responses.ResponseFunctionToolCall = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: call.id,
  name: call.name,
  arguments: args
}

const response = (output: Array<Item>, status: "completed" | "in_progress" = "completed") => ({
  id: "resp_upstream",
  object: "response" as const,
  created_at: 7,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "gpt",
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto" as const,
  tools: [],
  top_p: 1,
  usage: {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 14
  }
})

const outputOf = (callsTool: boolean): Array<Item> => [textItem(text), ...(callsTool ? [callItem] : [])]

const responseEvents = (callsTool: boolean): ReadonlyArray<object> => {
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 }
  const events = [
    { type: "response.created", response: response([], "in_progress") },
    { type: "response.in_progress", response: response([], "in_progress") },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...textItem(""), status: "in_progress", content: [] }
    },
    {
      type: "response.content_part.added",
      ...place,
      part: { type: "output_text", text: "", annotations: [], logprobs: [] }
    },
    { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: textItem(text).content[0] },
    { type: "response.output_item.done", output_index: 0, item: textItem(text) },
    ...(callsTool
      ? [
          {
            type: "response.output_item.added",
            output_index: 1,
            item: { ...callItem, arguments: "", status: "in_progress" }
          },
          { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: args },
          {
            type: "response.function_call_arguments.done",
            item_id: "fc_1",
            output_index: 1,
            name: call.name,
            arguments: args
          },
          { type: "response.output_item.done", output_index: 1, item: callItem }
        ]
      : []),
    { type: "response.completed", response: response(outputOf(callsTool)) }
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

const messageUsage = { input_tokens: 7, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 3 }
const messageHead = { id: "msg_upstream", type: "message", role: "assistant", model: "claude", stop_sequence: null }
const toolUse = { type: "tool_use", ...call }

const message = (callsTool: boolean) => ({
  ...messageHead,
  content: [{ type: "text", text }, ...(callsTool ? [toolUse] : [])],
  stop_reason: (callsTool ? "tool_use" : "end_turn") satisfies Anthropic.Message["stop_reason"],
  usage: messageUsage
})

const messageEvents = (callsTool: boolean): ReadonlyArray<object> => [
  {
    type: "message_start",
    message: { ...messageHead, content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } }
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Pa" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ris" } },
  { type: "content_block_stop", index: 0 },
  ...(callsTool
    ? [
        { type: "content_block_start", index: 1, content_block: { ...toolUse, input: {} } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args.slice(0, 5) } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args.slice(5) } },
        { type: "content_block_stop", index: 1 }
      ]
    : []),
  {
    type: "message_delta",
    delta: { stop_reason: callsTool ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { output_tokens: 3 }
  },
  { type: "message_stop" }
]

const data = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
const named = (value: object) => `event: ${String(Object(value).type)}\n${data(value)}`

/** Answers in the dialect of the path; with a call where tools are offered. */
export const answering: RequestListener = (request, response_) => {
  const { sent } = request as IncomingMessage & { readonly sent: string } // The server of models has read it.
  const { stream = false, stream_options, tools = [] }: SentBody = JSON.parse(sent)
  const callsTool = tools.length > 0
  const path = request.url ?? ""
  const json = (body: unknown) =>
    void response_.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  const events = (texts: ReadonlyArray<string>) => {
    response_.writeHead(200, { "content-type": "text/event-stream" })
    for (const text of texts) response_.write(text)
    response_.end()
  }
  if (path.includes("/chat/completions")) {
    return stream
      ? events(chatChunks(callsTool, stream_options?.include_usage === true).map(data))
      : json(chatWhole(callsTool))
  }
  if (path.includes("/responses")) {
    return stream ? events(responseEvents(callsTool).map(named)) : json(response(outputOf(callsTool)))
  }
  return stream ? events(messageEvents(callsTool).map(named)) : json(message(callsTool))
}
