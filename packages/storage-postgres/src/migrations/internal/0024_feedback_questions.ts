/** The question of a call of decisions that feedback is about. Null for feedback on the whole answer. */
export const statements: ReadonlyArray<string> = ["ALTER TABLE call_feedback ADD COLUMN question text"]
