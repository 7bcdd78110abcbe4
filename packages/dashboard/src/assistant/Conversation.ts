/** A conversation with the assistant, as the routes of the session answer it. */
export interface Message {
  readonly type: "message"
  readonly role: "user" | "assistant"
  readonly text: string
}

export interface Operation {
  readonly type: "operation"
  readonly call: string
  /** The id in the OpenAPI document: `createRun`. */
  readonly operation: string
  readonly input: unknown
  readonly status: "waiting" | "pending" | "done" | "refused"
  readonly status_code: number | null
  readonly request_id: string | null
  readonly answer: unknown
}

export interface ConversationSummary {
  readonly id: string
  readonly title: string
  readonly model: string
  readonly created_at: string
}

export interface Conversation extends ConversationSummary {
  readonly updated_at: string
  /** `working`: the page asks for the next step. */
  readonly status: "idle" | "working" | "waiting"
  readonly entries: ReadonlyArray<Message | Operation>
}

export const path = "assistant/conversations"

export const titleOf = ({ title }: ConversationSummary): string => (title === "" ? "New conversation" : title)
