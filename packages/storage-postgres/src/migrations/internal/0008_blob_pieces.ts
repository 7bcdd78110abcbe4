/** Adds a write time to blob pieces, which tells the pieces of an abandoned put from one under way. */
export const statements: ReadonlyArray<string> = [
  `-- The default is for what is there already, and for servers of before that still write.
ALTER TABLE blob_pieces ADD COLUMN written_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint`
]
