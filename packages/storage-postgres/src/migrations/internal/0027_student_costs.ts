/** What a student has paid for a call, beside the cost of its source. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE calls ADD COLUMN student_micros bigint",
  "ALTER TABLE call_tallies ADD COLUMN student_micros bigint NOT NULL DEFAULT 0"
]
