/** The requests to sources that a call took. Null for a single one, and in calls that were stored before. */
export const statements: ReadonlyArray<string> = ["ALTER TABLE calls ADD COLUMN attempts jsonb"]
