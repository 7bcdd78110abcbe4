/** A model that answers each request by the JSON Schema in it, in the dialect of its path, and counts a token for each four characters. */
import type { Models } from "./Models.ts"

const json = { "content-type": "application/json" }

/** The parts of a request that decide the answer. */
interface SentRequest {
  readonly model: string
  readonly response_format?: { readonly json_schema: { readonly schema: SentSchema } }
  readonly output_config?: { readonly format: { readonly schema: SentSchema } }
  readonly text?: { readonly format: { readonly schema: SentSchema } }
}

interface SentSchema {
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly enum?: ReadonlyArray<unknown> }>>
  readonly required?: ReadonlyArray<string>
}

const valueOf = (name: string, { enum: values, type }: SentSchema["properties"][string]) => {
  if (values !== undefined) return values[0]
  if (type === "integer") return 42
  return `the ${name}, in a sentence of several words`
}

export const schemaOf = ({ output_config, response_format, text }: SentRequest): SentSchema | undefined =>
  response_format?.json_schema.schema ?? output_config?.format.schema ?? text?.format.schema

const tokensOf = (text: string): number => Math.ceil(text.length / 4)

const chatAnswer = (model: string, content: string) => ({
  id: "chatcmpl-9",
  object: "chat.completion",
  created: 1,
  model,
  choices: [
    { index: 0, message: { role: "assistant", content, refusal: null }, logprobs: null, finish_reason: "stop" }
  ],
  usage: { prompt_tokens: 100, completion_tokens: tokensOf(content), total_tokens: 100 + tokensOf(content) }
})

const messagesAnswer = (model: string, text: string) => ({
  id: "msg_9",
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: tokensOf(text) }
})

const responsesAnswer = (model: string, text: string) => ({
  id: "resp_9",
  object: "response",
  created_at: 1,
  status: "completed",
  model,
  output: [
    {
      type: "message",
      id: "msg_9",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [], logprobs: [] }]
    }
  ],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokensOf(text),
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 100 + tokensOf(text)
  }
})

const answerOf = (path: string) => {
  if (path.endsWith("/messages")) return messagesAnswer
  return path.endsWith("/responses") ? responsesAnswer : chatAnswer
}

/** Fails for the model `bad`, and answers in words for the model `wordy`. */
export const answeringSchemas: Parameters<Models["base"]>[0] = (request, response) => {
  const { sent, url = "" } = request as typeof request & { readonly sent: string } // The server of models has read it.
  // The test sends requests of this form.
  const body = JSON.parse(sent) as SentRequest
  if (body.model === "bad") return void response.writeHead(503, json).end('{"error": {"message": "Busy"}}')
  const properties = Object.entries(schemaOf(body)?.properties ?? {})
  const content =
    body.model === "wordy"
      ? "I cannot say"
      : JSON.stringify(Object.fromEntries(properties.map(([name, schema]) => [name, valueOf(name, schema)])))
  response.writeHead(200, json).end(JSON.stringify(answerOf(url)(body.model, content)))
}
