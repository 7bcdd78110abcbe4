/** What a call's usage says beside its two counts, such as cached input. Null in calls that were stored before. */
export const statements: ReadonlyArray<string> = ["ALTER TABLE calls ADD COLUMN usage_details jsonb"]
