/** Messages of a request or an answer, limited in number and length for drawing. */
import { DrawingLimits } from "./Limits.ts"
import { isObject } from "./Objects.ts"
import { partOf, type TextPart } from "./TextPart.ts"

export interface MessagePart {
  readonly role: string
  /** Whether the content is a text, and not JSON. */
  readonly isText: boolean
  readonly content: TextPart
  /** Its other members, as JSON; null: it has none. */
  readonly rest: TextPart | null
}

export interface MessagesPart {
  readonly messages: ReadonlyArray<MessagePart>
  /** How many there are in all. */
  readonly total: number
}

/** The messages of a body; null: it has none. */
export const messagesOf = (body: unknown): ReadonlyArray<unknown> | null => {
  if (!isObject(body)) return null
  if (Array.isArray(body["messages"])) return body["messages"]
  if (!Array.isArray(body["choices"])) return null
  return body["choices"].flatMap((choice) =>
    isObject(choice) && isObject(choice["message"]) ? [choice["message"]] : []
  )
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0

/** What is shown of one message: its content, and its other members. */
export const membersOf = (message: unknown) => {
  const { content = null, role, ...rest } = isObject(message) ? message : { content: message }
  return { role: typeof role === "string" ? role : "?", content, rest: isEmpty(rest) ? null : rest }
}

/** Some messages from the one at `from` on, within `Drawn.textsMax` characters together. */
export const messagesPart = (all: ReadonlyArray<unknown>, from: number): MessagesPart => {
  let left: number = DrawingLimits.textsMax / 2
  const take = (value: unknown): TextPart => {
    const part = partOf(value, 0, Math.max(DrawingLimits.textMin, Math.min(DrawingLimits.textMax, left)))
    left -= part.text.length
    return part
  }
  const messages = all.slice(from, from + DrawingLimits.itemsMax).map((message) => {
    const { content, rest, role } = membersOf(message)
    return {
      role: partOf(role, 0, DrawingLimits.textMin).text,
      isText: typeof content === "string",
      content: take(content),
      rest: rest === null ? null : take(rest)
    }
  })
  return { messages, total: all.length }
}
