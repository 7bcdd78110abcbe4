/** An upstream that speaks chat completions, responses and Anthropic's messages, in the shapes of the clients' own types. */
import type { IncomingMessage, RequestListener } from "node:http"
import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"

interface SentTool {
  readonly name?: string
  readonly function?: { readonly name: string }
}

interface SentBody {
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly tools?: ReadonlyArray<SentTool>
  readonly response_format?: { readonly type: string }
  readonly text?: { readonly format?: { readonly type: string } }
}

/** The call that answers a request with tools: of the first. */
export const call = { id: "call_7", name: "weather", input: { city: "Paris" } }
const args = JSON.stringify(call.input)

interface Said {
  readonly text: string
  /** The called tool. */
  readonly tool: string | undefined
}

/** Halves of a text, for a stream. */
const halves = (text: string): readonly [string, string] => [text.slice(0, 2), text.slice(2)]

const chatUsage: OpenAI.CompletionUsage = {
  prompt_tokens: 11,
  completion_tokens: 3,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 4 }
}

const chatHead = { id: "chatcmpl-upstream", created: 7, model: "gpt" }

const chatWhole = ({ text, tool }: Said): OpenAI.ChatCompletion => ({
  ...chatHead,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      logprobs: null,
      finish_reason: tool === undefined ? "stop" : "tool_calls",
      message: {
        role: "assistant",
        content: text,
        refusal: null,
        ...(tool === undefined
          ? {}
          : { tool_calls: [{ id: call.id, type: "function", function: { name: tool, arguments: args } }] })
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

const chatChunks = (
  { text, tool }: Said,
  countsUsage: boolean
): ReadonlyArray<OpenAI.ChatCompletionChunk | "[DONE]"> => [
  chatChunk({ role: "assistant", content: "", refusal: null }),
  ...halves(text).map((content) => chatChunk({ content })),
  ...(tool === undefined
    ? []
    : [
        chatChunk({
          tool_calls: [{ index: 0, id: call.id, type: "function", function: { name: tool, arguments: "" } }]
        }),
        chatChunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(0, 5) } }] }),
        chatChunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(5) } }] })
      ]),
  chatChunk({}, tool === undefined ? "stop" : "tool_calls"),
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

const callItem = (name: string): OpenAI.Responses.ResponseFunctionToolCall => ({
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: call.id,
  name,
  arguments: args
})

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

const outputOf = ({ text, tool }: Said): Array<Item> => [
  textItem(text),
  ...(tool === undefined ? [] : [callItem(tool)])
]

const responseEvents = ({ text, tool }: Said): ReadonlyArray<object> => {
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
    ...(tool === undefined
      ? []
      : [
          {
            type: "response.output_item.added",
            output_index: 1,
            item: { ...callItem(tool), arguments: "", status: "in_progress" }
          },
          { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: args },
          {
            type: "response.function_call_arguments.done",
            item_id: "fc_1",
            output_index: 1,
            name: tool,
            arguments: args
          },
          { type: "response.output_item.done", output_index: 1, item: callItem(tool) }
        ]),
    { type: "response.completed", response: response(outputOf({ text, tool })) }
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

const messageUsage = { input_tokens: 7, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 3 }
const messageHead = { id: "msg_upstream", type: "message", role: "assistant", model: "claude", stop_sequence: null }
const toolUse = (name: string) => ({ type: "tool_use", ...call, name })

const message = ({ text, tool }: Said) => ({
  ...messageHead,
  content: [{ type: "text", text }, ...(tool === undefined ? [] : [toolUse(tool)])],
  stop_reason: (tool === undefined ? "end_turn" : "tool_use") satisfies Anthropic.Message["stop_reason"],
  usage: messageUsage
})

const messageEvents = ({ text, tool }: Said): ReadonlyArray<object> => [
  {
    type: "message_start",
    message: { ...messageHead, content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } }
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  ...halves(text).map((half) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: half }
  })),
  { type: "content_block_stop", index: 0 },
  ...(tool === undefined
    ? []
    : [
        { type: "content_block_start", index: 1, content_block: { ...toolUse(tool), input: {} } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args.slice(0, 5) } },
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args.slice(5) } },
        { type: "content_block_stop", index: 1 }
      ]),
  {
    type: "message_delta",
    delta: { stop_reason: tool === undefined ? "end_turn" : "tool_use", stop_sequence: null },
    usage: { output_tokens: 3 }
  },
  { type: "message_stop" }
]

const data = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
const named = (value: object) => `event: ${String(Object(value).type)}\n${data(value)}`

const isSchema = (format: { readonly type: string } | undefined): boolean => format?.type === "json_schema"

/** Where tools are offered and none has been called yet, the first is called. A request for an object gets JSON text. */
const saidTo = (sent: string): Said => {
  const { response_format, text, tools = [] }: SentBody = JSON.parse(sent)
  const [first] = tools
  const isCalled = sent.includes(`"${call.id}"`)
  const asksObject = isSchema(response_format) || isSchema(text?.format)
  return {
    text: asksObject ? args : "Paris",
    tool: isCalled ? undefined : (first?.function?.name ?? first?.name)
  }
}

/** Answers in the dialect of the path. */
export const answering: RequestListener = (request, response_) => {
  const { sent } = request as IncomingMessage & { readonly sent: string } // The server of models has read it.
  const { stream = false, stream_options }: SentBody = JSON.parse(sent)
  const said = saidTo(sent)
  const path = request.url ?? ""
  const json = (body: unknown) =>
    void response_.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  const events = (texts: ReadonlyArray<string>) => {
    response_.writeHead(200, { "content-type": "text/event-stream" })
    for (const text of texts) response_.write(text)
    response_.end()
  }
  if (path.includes("/chat/completions")) {
    return stream ? events(chatChunks(said, stream_options?.include_usage === true).map(data)) : json(chatWhole(said))
  }
  if (path.includes("/responses")) {
    return stream ? events(responseEvents(said).map(named)) : json(response(outputOf(said)))
  }
  return stream ? events(messageEvents(said).map(named)) : json(message(said))
}
