/** What a caller asks (contract 9). */
export interface Question {
  readonly text: string
  /** Ids. */
  readonly agent: string | undefined
  readonly conversation: string | undefined
  readonly channel: string | undefined
  /** The caller's own key of a conversation. */
  readonly session: string | undefined
  readonly author: string | undefined
  /** Whether the question leaves no captured call and no event. */
  readonly sandbox: boolean
}

/** The default author of a question. */
export const defaultAuthor = "user"
