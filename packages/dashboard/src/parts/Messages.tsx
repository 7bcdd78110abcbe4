/** A conversation with roles, some messages at a time. */
import { useState } from "react"
import { wordsOf } from "../app/Queries.ts"
import type { MessagePart, MessagesPart } from "../large/MessageParts.ts"
import type { TextPart } from "../large/TextPart.ts"
import { JsonParts } from "./Json.tsx"
import { LongText } from "./LongText.tsx"
import { classOfRole } from "./Tones.ts"
import { count } from "./Words.ts"

interface Props {
  readonly label: string
  readonly first: MessagesPart
  readonly moreMessages: (from: number) => Promise<MessagesPart>
  readonly moreText: (message: number, part: "content" | "rest", from: number) => Promise<TextPart>
}

interface MessageProps extends Pick<Props, "moreText"> {
  readonly index: number
  readonly message: MessagePart
}

const Message = ({ index, message: { content, isText, rest, role }, moreText }: MessageProps) => (
  <li className={classOfRole(role)}>
    <bdi className="message-role">{role}</bdi>
    {isText ? (
      <LongText label={`message ${index + 1}`} first={content} more={(from) => moreText(index, "content", from)}>
        {(text, at) => (
          <p key={at} className="message-text">
            {text}
          </p>
        )}
      </LongText>
    ) : (
      <JsonParts
        label={`Content of message ${index + 1}`}
        first={content}
        more={(from) => moreText(index, "content", from)}
      />
    )}
    {rest !== null && (
      <JsonParts label={`More of message ${index + 1}`} first={rest} more={(from) => moreText(index, "rest", from)} />
    )}
  </li>
)

export const Messages = ({ first, label, moreMessages, moreText }: Props) => {
  const [followers, setFollowers] = useState<ReadonlyArray<MessagePart>>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const messages = [...first.messages, ...followers]
  const left = first.total - messages.length
  const show = async () => {
    setAsked(true)
    try {
      const part = await moreMessages(messages.length)
      setFollowers((before) => [...before, ...part.messages])
      setProblem(null)
    } catch (error) {
      setProblem(wordsOf(error))
    }
    setAsked(false)
  }
  return (
    <>
      <ol className="messages" aria-label={label}>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and never move
          <Message key={index} index={index} message={message} moreText={moreText} />
        ))}
      </ol>
      {problem !== null && <p role="alert">{problem}</p>}
      {left > 0 && (
        <button type="button" className="more" disabled={isAsked} onClick={show}>
          Show more of {count(left)} messages
        </button>
      )}
    </>
  )
}
