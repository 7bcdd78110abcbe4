/** A whole answer, gathered from its events. Pure. */
import type { AnswerEvent, AnswerUsage, FinishReason } from "./AnswerEvent.ts"

export interface GatheredCall {
  readonly id: string
  readonly name: string
  readonly kind: "function" | "custom"
  arguments: string
}

export interface GatheredAnswer {
  /** Null without a text. */
  readonly text: string | null
  readonly refusal: string | null
  readonly calls: ReadonlyArray<GatheredCall>
  readonly reason: FinishReason
  readonly usage: AnswerUsage | null
}

export const gather = (events: ReadonlyArray<AnswerEvent>): GatheredAnswer => {
  const calls = new Map<number, GatheredCall>()
  let text: string | null = null
  let refusal: string | null = null
  let reason: FinishReason = "stop"
  let usage: AnswerUsage | null = null
  for (const event of events) {
    switch (event.type) {
      case "text":
        text = (text ?? "") + event.text
        break
      case "refusal":
        refusal = (refusal ?? "") + event.text
        break
      case "call":
        calls.set(event.index, { id: event.id, name: event.name, kind: event.kind, arguments: "" })
        break
      case "arguments": {
        const call = calls.get(event.index)
        if (call !== undefined) call.arguments += event.text
        break
      }
      case "finish":
        reason = event.reason
        break
      case "usage":
        usage = event.usage
        break
      case "error":
        break
    }
  }
  return { text, refusal, calls: [...calls.values()], reason, usage }
}
