/** What was said and done in a conversation with the assistant, in order. */

import { DrawingLimits } from "../large/Limits.ts"
import { Badge } from "../parts/Badge.tsx"
import { Json } from "../parts/Json.tsx"
import { Text } from "../parts/LongText.tsx"
import { classOfRole } from "../parts/Tones.ts"
import type { Conversation, Message, Operation } from "./Conversation.ts"

const Spoken = ({ role, text }: Message) => (
  <li className={classOfRole(role)}>
    <bdi className="message-role">{role === "user" ? "You" : "Assistant"}</bdi>
    <p className="message-text">
      <Text label="the message" of={text} max={DrawingLimits.textMax} />
    </p>
  </li>
)

const Requested = ({ of }: { readonly of: Operation }) => (
  <li className="message">
    <p className="operation">
      <code>{of.operation}</code> <Badge of={of.status} />
      {of.status_code !== null && <span className="soft">HTTP {of.status_code}</span>}
      {of.request_id !== null && (
        <span className="soft">
          request <code>{of.request_id}</code>
        </span>
      )}
    </p>
    <details>
      <summary>Input and answer</summary>
      <Json label={`Input of ${of.operation}`} of={of.input} />
      {of.status === "done" && <Json label={`Answer of ${of.operation}`} of={of.answer} />}
    </details>
  </li>
)

export const Entries = ({ entries }: Pick<Conversation, "entries">) => (
  <ol className="messages" aria-label="The conversation" aria-live="polite">
    {entries.map((entry, index) =>
      entry.type === "message" ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and never move
        <Spoken key={index} {...entry} />
      ) : (
        <Requested key={entry.call} of={entry} />
      )
    )}
  </ol>
)
