/** Adds the giver, null in older feedback, and the prompt key for reviewed rows, null in feedback on calls. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE call_feedback ADD COLUMN prompt text, ADD COLUMN given_by json"
]
