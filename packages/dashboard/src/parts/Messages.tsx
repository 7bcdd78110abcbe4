/** A conversation: who said what. */
import { Json } from "./Json.tsx"

interface Message {
  readonly role: string
  readonly content: unknown
  readonly rest: object
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const messageOf = (value: unknown): Message => {
  const { content = null, role, ...rest } = isObject(value) ? value : { content: value }
  return { role: typeof role === "string" ? role : "?", content, rest }
}

export const Messages = ({ of }: { readonly of: ReadonlyArray<unknown> }) => (
  <ol className="messages">
    {of.map(messageOf).map(({ content, rest, role }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and never move
      <li key={at} className={`message ${role}`}>
        <span className="message-role">{role}</span>
        {typeof content === "string" ? (
          <p className="message-text">{content}</p>
        ) : (
          <Json label={`Content of ${role}`} of={content} />
        )}
        {Object.keys(rest).length > 0 && <Json label={`More of ${role}`} of={rest} />}
      </li>
    ))}
  </ol>
)

/** The messages of a request or of an answer, where it has some. */
export const messagesOf = (body: unknown): ReadonlyArray<unknown> | null => {
  if (!isObject(body)) return null
  if (Array.isArray(body["messages"])) return body["messages"]
  if (!Array.isArray(body["choices"])) return null
  return body["choices"].flatMap((choice) =>
    isObject(choice) && isObject(choice["message"]) ? [choice["message"]] : []
  )
}
