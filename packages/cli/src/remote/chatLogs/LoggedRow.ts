/** Rows of chat data from log entries in the shapes that programs write. */

export interface Row {
  readonly messages: ReadonlyArray<unknown>
  readonly completion?: unknown
  readonly external_id?: string
  readonly metadata?: unknown
  readonly tools?: unknown
}

type Fields = Readonly<Record<string, unknown>>

/** The fault of a log entry without a row. */
export class NoRow extends Error {}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isMessages = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.length > 0 && value.every((message) => isFields(message) && "role" in message)

/** Drops the provider's own members and empty ones; keeps a `content` of null. */
const messageOf = ({ id: _, object: __, ...message }: Fields): Fields =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([name, value]) => name === "content" || (value !== null && !(Array.isArray(value) && value.length === 0))
    )
  )

const userMessage = (content: unknown): Fields => ({ role: "user", content })

/** A stored completion names its messages `input`, `messages`, or has them in the request that it answers. */
const questionOf = (entry: Fields): unknown => {
  const request = isFields(entry["request"]) ? entry["request"] : {}
  const asked = entry["messages"] ?? entry["input"] ?? request["messages"] ?? request["input"]
  return typeof asked === "string" ? [userMessage(asked)] : asked
}

/** The message of the first choice. */
const answerOf = (choices: ReadonlyArray<unknown>): Fields => {
  const [first] = choices
  if (isFields(first) && isFields(first["message"])) return messageOf(first["message"])
  throw new NoRow("its first choice has no message")
}

const labels = ({ id, metadata, external_id: externalId = id }: Fields): Partial<Row> => ({
  ...(typeof externalId === "string" ? { external_id: externalId } : {}),
  ...(isFields(metadata) && Object.keys(metadata).length > 0 ? { metadata } : {})
})

/** An exchange with the answer of the provider: a stored completion, or a request beside its response. */
const fromCompletion = (entry: Fields, choices: ReadonlyArray<unknown>): Row => {
  const messages = questionOf(entry)
  if (!isMessages(messages)) throw new NoRow("it has choices, and no messages that they answer")
  return {
    messages: messages.map((message) => messageOf(message as Fields)),
    completion: answerOf(choices),
    ...labels(entry)
  }
}

/** A conversation with the answer as its last message or as a separate member. */
const fromMessages = (messages: ReadonlyArray<unknown>, entry: Fields): Row => ({
  messages,
  ...("completion" in entry ? { completion: entry["completion"] } : {}),
  ...("tools" in entry ? { tools: entry["tools"] } : {}),
  ...labels(entry)
})

const promptMessages = (entry: Fields): ReadonlyArray<Fields> => [
  ...(typeof entry["system"] === "string" && entry["system"] !== ""
    ? [{ role: "system", content: entry["system"] }]
    : []),
  userMessage(entry["prompt"])
]

/** An entry of JSON: a stored completion, a conversation, or a prompt with its completion. */
export const ofJson = (entry: unknown): Row => {
  if (isMessages(entry)) return fromMessages(entry, {})
  if (!isFields(entry)) throw new NoRow("it is no object")
  const response = isFields(entry["response"]) ? entry["response"] : {}
  const choices = entry["choices"] ?? response["choices"]
  if (Array.isArray(choices)) return fromCompletion(entry, choices)
  if (isMessages(entry["messages"])) return fromMessages(entry["messages"], entry)
  if (typeof entry["prompt"] === "string" && typeof entry["completion"] === "string")
    return { messages: promptMessages(entry), completion: entry["completion"], ...labels(entry) }
  throw new NoRow("it has neither choices, nor messages with roles, nor a prompt with a completion")
}

/** Reads records of CSV by the names of their columns; `prompt` and `completion` have to be among them. */
export const csvColumns = (header: ReadonlyArray<string>) => {
  const names = header.map((name) =>
    name
      .replace(/^\uFEFF/, "")
      .trim()
      .toLowerCase()
  )
  const missing = ["prompt", "completion"].filter((name) => !names.includes(name))
  if (missing.length > 0) throw new NoRow(`there is no column ${missing.join(", nor ")}`)
  return (fields: ReadonlyArray<string>): Row => {
    if (fields.length !== names.length)
      throw new NoRow(`it has ${fields.length} fields, and the header ${names.length}`)
    return ofJson(Object.fromEntries(names.map((name, index) => [name, fields[index]])))
  }
}
