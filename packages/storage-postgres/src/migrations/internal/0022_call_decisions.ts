/**
 * The answers of a request for decisions. Null in other calls, and in calls that were stored before. `json`, because `jsonb` takes no
 * NUL, which a name may hold.
 */
export const statements: ReadonlyArray<string> = ["ALTER TABLE calls ADD COLUMN decisions json"]
