/** Calls whose bodies were cut say so. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE calls ADD COLUMN truncated boolean NOT NULL DEFAULT false"
]
