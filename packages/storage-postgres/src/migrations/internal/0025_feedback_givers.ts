/** Who gave a feedback, null for feedback from before it was kept; and the prompt of a reviewed row, null for feedback on calls. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE call_feedback ADD COLUMN prompt text, ADD COLUMN given_by json"
]
