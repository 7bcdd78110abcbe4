/** The named events of a `messages` stream, put together into the message. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import { appendAll, chunkCost, copyValue, type Fields, fieldsOf, keep, merge, stepChunks } from "./Merging.ts"

type Event = Schema.JsonObject

interface Block {
  readonly fields: Fields
  /** The JSON text of a tool's input, which arrives in pieces. */
  input: string
}

/** The field of a block that each kind of delta extends. */
const texts: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature"
}

const indexOf = ({ index }: Event): number => (typeof index === "number" ? index : 0)

const addDelta = (block: Block, delta: Event): void => {
  const { citation, partial_json: input, type } = delta
  const field = typeof type === "string" ? texts[type] : undefined
  if (type === "input_json_delta" && typeof input === "string") block.input += input
  else if (type === "citations_delta" && citation !== undefined) {
    const citations = block.fields.get("citations")
    block.fields.set("citations", appendAll(Array.isArray(citations) ? citations : [], [citation]))
  } else if (field !== undefined) merge(block.fields, field, delta[field])
}

const parsed = (text: string): unknown => {
  try {
    return copyValue(JSON.parse(text))
  } catch {
    return text
  }
}

function* finished({ fields, input }: Block): Turns.Steps<Fields> {
  yield chunkCost + input.length
  if (input !== "") fields.set("input", parsed(input))
  return fields
}

class Message {
  readonly #blocks = new Map<number, Block>()
  #fields: Fields | undefined

  take(event: Event): void {
    const { content_block: block, delta, message, type, usage } = event
    if (type === "message_start" && isObject(message)) this.#fields ??= fieldsOf(message)
    else if (type === "content_block_start" && isObject(block)) {
      this.#blocks.set(indexOf(event), { fields: fieldsOf(block), input: "" })
    } else if (type === "content_block_delta" && isObject(delta)) addDelta(this.#blockAt(event), delta)
    else if (type === "message_delta") this.#end(delta, usage)
  }

  *whole(): Turns.Steps<Fields | undefined> {
    if (this.#fields === undefined && this.#blocks.size === 0) return undefined
    const fields = this.#fields ?? new Map<string, unknown>([["type", "message"]])
    const content: Array<Fields> = []
    for (const [, block] of [...this.#blocks].sort(([a], [b]) => a - b)) content.push(yield* finished(block))
    if (content.length > 0) fields.set("content", content)
    return fields
  }

  #blockAt(event: Event): Block {
    const index = indexOf(event)
    const block = this.#blocks.get(index) ?? { fields: new Map<string, unknown>([["type", "text"]]), input: "" }
    this.#blocks.set(index, block)
    return block
  }

  /** Counts of the end are totals: they replace those of the beginning. */
  #end(delta: unknown, usage: unknown): void {
    this.#fields ??= new Map<string, unknown>([["type", "message"]])
    const fields = this.#fields
    if (isObject(delta)) for (const [name, value] of Object.entries(delta)) keep(fields, name, value)
    if (!isObject(usage)) return
    const counts = fields.get("usage")
    const all: Fields = counts instanceof Map ? counts : new Map()
    for (const [name, value] of Object.entries(usage)) keep(all, name, value)
    fields.set("usage", all)
  }
}

/** Undefined without an event of a message. */
export function* assemble(events: Iterable<Event>): Turns.Steps<Fields | undefined> {
  const message = new Message()
  let count = 0
  for (const event of events) {
    if (++count % stepChunks === 0) yield stepChunks * chunkCost
    message.take(event)
  }
  return yield* message.whole()
}
