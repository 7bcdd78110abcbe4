/** A row in the form that the builtin student reads. */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowText from "@limbeck/distill/dataset/RowText"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import type { Example } from "./internal/Examples.ts"
import type { Turn } from "./internal/Text.ts"

/** A prompt in the form that the student reads. */
export const turnsOf = (prompt: ReadonlyArray<RowText.Message>): ReadonlyArray<Turn> =>
  prompt.map((message) => ({ role: message.role, text: RowText.textOf(message) }))

/** Whether the student reads all of the row's prompt: it reads texts alone. */
export const isRead = ({ messages }: Row): boolean => !messages.some(RowText.hasMedia)

/** An empty completion is no label, nor is a call among words or other calls. */
export const exampleOf = (row: Row): Example => {
  const { completion, prompt } = RowText.exampleOf(row)
  return {
    turns: turnsOf(prompt),
    label: ToolAnswers.labelOf(completion),
    ...(row.weight === undefined ? {} : { weight: row.weight })
  }
}
