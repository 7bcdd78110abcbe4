/** A captured call for its page: whole facts, bodies in parts. */
import { withOptions } from "./DecisionParts.ts"
import { DrawingLimits } from "./Limits.ts"
import { type MessagesPart, membersOf, messagesOf, messagesPart } from "./MessageParts.ts"
import { isObject } from "./Objects.ts"
import { partOf, type TextPart } from "./TextPart.ts"

type Call = Readonly<Record<string, unknown>>

/** Takes the place of `request` and `response` in the call. */
export interface BodyPart {
  /** Null: the body has no messages. */
  readonly messages: MessagesPart | null
  readonly json: TextPart
}

/** Which text of a call: the message of a shadow, a body, or a message of a body by its index. */
export type TextPlace =
  | { readonly shadow: number }
  | { readonly body: "request" | "response" }
  | { readonly body: "request" | "response"; readonly message: number; readonly part: "content" | "rest" }

const shadowsOf = (call: Call): ReadonlyArray<unknown> => {
  const shadows = call["shadow_results"]
  return Array.isArray(shadows) ? shadows : []
}

const bodyPart = (body: unknown): BodyPart => {
  const messages = messagesOf(body)
  return {
    messages: messages === null ? null : messagesPart(messages, 0),
    json: partOf(body, 0, DrawingLimits.textMax)
  }
}

export const callPart = (call: Call): unknown => ({
  ...call,
  request: bodyPart(call["request"]),
  response: bodyPart(call["response"]),
  decisions: withOptions(call["decisions"], call["request"]),
  shadow_results: shadowsOf(call).map((shadow) =>
    isObject(shadow) ? { ...shadow, message: partOf(shadow["message"], 0, DrawingLimits.cellMax) } : shadow
  )
})

export const moreMessages = (call: Call, body: "request" | "response", from: number): MessagesPart =>
  messagesPart(messagesOf(call[body]) ?? [], from)

const valueAt = (call: Call, place: TextPlace): unknown => {
  if ("shadow" in place) {
    const shadow = shadowsOf(call)[place.shadow]
    return isObject(shadow) ? shadow["message"] : null
  }
  const body = call[place.body]
  return "message" in place ? membersOf(messagesOf(body)?.[place.message])[place.part] : body
}

export const moreText = (call: Call, place: TextPlace, from: number): TextPart =>
  partOf(valueAt(call, place), from, DrawingLimits.textMax)
