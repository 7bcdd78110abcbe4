/** A row as the builtin student reads it. */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowText from "@limbeck/distill/dataset/RowText"
import type { Example } from "./internal/Examples.ts"
import type { Turn } from "./internal/Text.ts"

/** A prompt as the student reads it. */
export const turnsOf = (prompt: ReadonlyArray<RowText.Message>): ReadonlyArray<Turn> =>
  prompt.map((message) => ({ role: message.role, text: RowText.textOf(message) }))

/** A completion that is empty or calls a tool is no label. */
export const exampleOf = (row: Row): Example => {
  const { completion, prompt } = RowText.exampleOf(row)
  const text = RowText.textOf(completion)
  return {
    turns: turnsOf(prompt),
    label: text === "" || RowText.usesTools(completion) ? null : text
  }
}
