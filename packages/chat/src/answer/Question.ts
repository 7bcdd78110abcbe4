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
  /** Whether nothing of it is captured or told. */
  readonly sandbox: boolean
}

/** The author of a question whose caller names none. */
export const defaultAuthor = "user"
