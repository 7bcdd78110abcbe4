/** Assembles the events of a `responses` stream; the last event holds the whole response, unless it is missing. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import { chunkCost, type Fields, fieldsOf, merge, stepChunks } from "./Merging.ts"

type Event = Schema.JsonObject

const ends = new Set(["response.completed", "response.incomplete", "response.failed"])

/** The target of a text piece: a field of the item, or of one of its parts. */
interface Place {
  readonly item: string
  readonly list?: "content" | "summary"
  /** The part's type. */
  readonly part?: string
  readonly field: string
}

const places: Readonly<Record<string, Place>> = {
  "response.output_text.delta": { item: "message", list: "content", part: "output_text", field: "text" },
  "response.refusal.delta": { item: "message", list: "content", part: "refusal", field: "refusal" },
  "response.reasoning_text.delta": { item: "reasoning", list: "content", part: "reasoning_text", field: "text" },
  "response.reasoning_summary_text.delta": { item: "reasoning", list: "summary", part: "summary_text", field: "text" },
  "response.function_call_arguments.delta": { item: "function_call", field: "arguments" },
  "response.mcp_call_arguments.delta": { item: "mcp_call", field: "arguments" },
  "response.custom_tool_call_input.delta": { item: "custom_tool_call", field: "input" },
  "response.code_interpreter_call_code.delta": { item: "code_interpreter_call", field: "code" }
}

const listOf = (type: string): "content" | "summary" | undefined => {
  if (type.startsWith("response.content_part.")) return "content"
  return type.startsWith("response.reasoning_summary_part.") ? "summary" : undefined
}

/** A list by index, in the making. */
type Parts = Map<number, Fields>

interface Item {
  fields: Fields
  readonly content: Parts
  readonly summary: Parts
}

const indexOf = (value: unknown): number => (typeof value === "number" ? value : 0)

const inOrder = <A>(parts: ReadonlyMap<number, A>): Array<A> =>
  [...parts].sort(([a], [b]) => a - b).map(([, part]) => part)

/** Piecewise text is in a part; complete text is in the item. */
const finishItem = ({ content, fields, summary }: Item): Fields => {
  const whole = new Map(fields)
  for (const [name, parts] of [["content", content] as const, ["summary", summary] as const]) {
    if (parts.size > 0) whole.set(name, inOrder(parts))
  }
  return whole
}

class Output {
  private readonly items = new Map<number, Item>()

  take(event: Event, type: string): void {
    const { delta, item, part } = event
    const list = listOf(type)
    const place = places[type]
    if (type === "response.output_item.done" && isObject(item))
      this.items.set(indexOf(event["output_index"]), newItem(item))
    else if (type === "response.output_item.added" && isObject(item)) this.itemAt(event, item)
    else if (list !== undefined && isObject(part))
      this.itemAt(event, {})[list].set(placeIn(event, list), fieldsOf(part))
    else if (place !== undefined && typeof delta === "string") this.add(event, place, delta)
  }

  get list(): Array<Fields> {
    return inOrder(this.items).map(finishItem)
  }

  private itemAt(event: Event, begun: Event): Item {
    const index = indexOf(event["output_index"])
    const item = this.items.get(index) ?? newItem(begun)
    this.items.set(index, item)
    return item
  }

  private add(event: Event, { field, item: type, list, part }: Place, delta: string): void {
    const item = this.itemAt(event, { type })
    if (list === undefined) {
      merge(item.fields, field, delta)
      return
    }
    const at = placeIn(event, list)
    const fields = item[list].get(at) ?? new Map<string, unknown>([["type", part]])
    item[list].set(at, fields)
    merge(fields, field, delta)
  }
}

const newItem = (begun: Event): Item => ({ fields: fieldsOf(begun), content: new Map(), summary: new Map() })

const placeIn = (event: Event, list: "content" | "summary"): number => indexOf(event[`${list}_index`])

/** Undefined without an event of a response. */
export function* assemble(events: Iterable<Event>): Turns.Steps<Fields | undefined> {
  const output = new Output()
  let response: Fields | undefined
  let ended = false
  let seen = false
  let count = 0
  for (const event of events) {
    if (++count % stepChunks === 0) yield stepChunks * chunkCost
    const { response: told, type } = event
    if (typeof type !== "string" || !type.startsWith("response.")) continue
    seen = true
    if (isObject(told) && !ended) response = fieldsOf(told)
    if (ends.has(type)) ended = true
    output.take(event, type)
  }
  if (!seen) return undefined
  const whole: Fields = response ?? new Map([["object", "response"]])
  const told = whole.get("output")
  if (!Array.isArray(told) || told.length === 0) whole.set("output", output.list)
  return whole
}
