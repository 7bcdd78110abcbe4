/** The teacher's answers in the form of the Responses API, whole and as a stream of its typed events. */
import type { ServerResponse } from "node:http"

interface Completion {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
  }
}

const usageOf = ({ completion_tokens, prompt_tokens, total_tokens }: Completion["usage"]) => ({
  input_tokens: prompt_tokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: completion_tokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens
})

export const responseOf = ({ created, id, model, usage }: Completion, text: string) => {
  const content = [{ type: "output_text", text, annotations: [] }]
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [{ id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content }],
    parallel_tool_calls: true,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: usageOf(usage)
  } as const
}

/** Text in two halves between the events of its item and its part. */
export const stream = (response: ServerResponse, whole: ReturnType<typeof responseOf>): void => {
  const [item] = whole.output
  const [part] = item.content
  const half = Math.ceil((part?.text.length ?? 0) / 2)
  const place = { output_index: 0, item_id: item.id, content_index: 0 }
  const begun = { ...whole, status: "in_progress", output: [], usage: null }
  let count = 0
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: count++, ...fields })}\n\n`)

  response.writeHead(200, { "content-type": "text/event-stream" })
  send("response.created", { response: begun })
  send("response.in_progress", { response: begun })
  send("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } })
  send("response.content_part.added", { ...place, part: { ...part, text: "" } })
  for (const delta of [part?.text.slice(0, half), part?.text.slice(half)]) {
    send("response.output_text.delta", { ...place, delta, logprobs: [] })
  }
  send("response.output_text.done", { ...place, text: part?.text, logprobs: [] })
  send("response.content_part.done", { ...place, part })
  send("response.output_item.done", { output_index: 0, item })
  send("response.completed", { response: whole })
  response.end()
}
