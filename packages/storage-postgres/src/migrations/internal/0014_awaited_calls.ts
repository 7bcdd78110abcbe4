/** Feedback may be given on a call that still waits in a journal. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE call_feedback ADD COLUMN awaits_call boolean NOT NULL DEFAULT false",
  "CREATE INDEX call_feedback_awaiting ON call_feedback (created_at) WHERE awaits_call"
]
