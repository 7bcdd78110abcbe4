/** List items for a table: openings in place of texts with possibly millions of characters. */
import { DrawingLimits } from "./Limits.ts"
import { messagesOf } from "./MessageParts.ts"
import { isObject } from "./Objects.ts"
import { partOf } from "./TextPart.ts"

/**
 * The beginning of a text or a value, on one line. The work grows with the shown part, not with the size of the value.
 */
export const openingOf = (value: unknown, length: number = DrawingLimits.openingMax): string => {
  const { next, text } = partOf(value, 0, 4 * length)
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length <= length && next === null ? line : `${line.slice(0, length - 1)}…`
}

const lastContent = (body: unknown): string => {
  const last = messagesOf(body)?.at(-1)
  const content = isObject(last) ? last["content"] : undefined
  return content === undefined || content === null ? "" : openingOf(content)
}

/** A page of captured calls, with openings of question and answer in place of bodies. */
export const callsPage = (page: Readonly<Record<string, unknown>>): unknown => ({
  ...page,
  data: itemsOf(page).map((call) => ({
    ...call,
    request: lastContent(call["request"]),
    response: lastContent(call["response"])
  }))
})

/** A row of a version for a table. */
export interface RowOpening {
  readonly prompt: string
  readonly completion: string
  readonly split: string
  /** Of all its messages. */
  readonly characters: number
}

const contentOf = (message: unknown): unknown => (isObject(message) ? (message["content"] ?? "") : message)

const lengthOf = (content: unknown): number =>
  typeof content === "string" ? content.length : JSON.stringify(content ?? "").length

const rowOf = (row: Readonly<Record<string, unknown>>): RowOpening => {
  const messages = Array.isArray(row["messages"]) ? row["messages"].map(contentOf) : []
  return {
    prompt: openingOf(messages.at(-1) ?? ""),
    completion: openingOf(contentOf(row["completion"]), DrawingLimits.labelMax),
    split: openingOf(row["split"] ?? ""),
    characters: messages.reduce<number>((sum, content) => sum + lengthOf(content), 0)
  }
}

/** A page of rows of a version. */
export const rowsPage = (page: Readonly<Record<string, unknown>>): unknown => ({
  ...page,
  data: itemsOf(page).map(rowOf)
})

const itemsOf = ({ data }: Readonly<Record<string, unknown>>): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(data) ? data.map((item) => (isObject(item) ? item : {})) : []
