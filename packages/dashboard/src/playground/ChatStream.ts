/** The text of a chat completion, whole or as a stream of events. Pure. */

interface Choice {
  readonly delta?: { readonly content?: unknown }
  readonly message?: { readonly content?: unknown }
}

interface Chat {
  readonly choices?: ReadonlyArray<Choice>
  readonly error?: { readonly message?: unknown }
}

const parse = (text: string): Chat | null => {
  try {
    // Each member is looked at before it is used.
    const value = JSON.parse(text) as Chat | null
    return typeof value === "object" ? value : null
  } catch {
    return null
  }
}

const contentOf = (chat: Chat | null): string => {
  const [choice] = chat?.choices ?? []
  const content = choice?.delta?.content ?? choice?.message?.content
  return typeof content === "string" ? content : ""
}

/** The text of an answer without a stream. */
export const wholeText = (body: string): string => contentOf(parse(body))

export interface StreamRead {
  /** The text of the complete lines. */
  readonly text: string
  /** An incomplete line, which the next bytes continue. */
  readonly rest: string
  /** The upstream's error in the middle of the stream; null: none. */
  readonly failure: string | null
}

export const begun: StreamRead = { text: "", rest: "", failure: null }

const dataOf = (line: string): string | null => (line.startsWith("data:") ? line.slice("data:".length).trim() : null)

/** After more of the stream. */
export const read = (before: StreamRead, more: string): StreamRead => {
  const lines = (before.rest + more).split(/\r\n|\n|\r(?!$)/)
  const rest = lines.pop() ?? ""
  const chats = lines.flatMap((line) => {
    const data = dataOf(line)
    return data === null || data === "[DONE]" ? [] : [parse(data)]
  })
  const failed = chats.find((chat) => chat?.error !== undefined)?.error?.message
  return {
    text: before.text + chats.map(contentOf).join(""),
    rest,
    failure: failed === undefined ? before.failure : String(failed)
  }
}
