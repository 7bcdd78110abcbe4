/** Token buckets that servers share. */
export const statements: ReadonlyArray<string> = [
  `-- Unlogged: it costs no disk to change, and after a crash of the database every bucket is full, as a missing one is.
CREATE UNLOGGED TABLE rate_buckets (
  key text COLLATE "C" PRIMARY KEY,
  tokens double precision NOT NULL,
  at bigint NOT NULL
) WITH (fillfactor = 50)`
]
