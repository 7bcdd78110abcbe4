/** The student's call that a call verifies, and that student's deployment. Null for other calls, and in calls that were stored before. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE calls ADD COLUMN verifies jsonb",
  "CREATE INDEX calls_verifying ON calls (partition, id) WHERE verifies IS NOT NULL"
]
