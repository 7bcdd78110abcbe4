/** Running counts of stored calls by hour and day. Calls that were stored before are in none. */
export const statements: ReadonlyArray<string> = [
  `-- key: a digest of source, model, served_by and deployment, which together may be too long for an index.
-- latencies: calls by the number of their bucket.
CREATE TABLE call_tallies (
  partition text COLLATE "C" NOT NULL,
  width text COLLATE "C" NOT NULL,
  starts_at bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  source text COLLATE "C",
  model text COLLATE "C",
  served_by text COLLATE "C" NOT NULL,
  deployment text COLLATE "C",
  calls bigint NOT NULL,
  failed bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  priced_calls bigint NOT NULL,
  unpriced_calls bigint NOT NULL,
  cost_micros bigint NOT NULL,
  cost_squares double precision NOT NULL,
  latencies jsonb NOT NULL,
  PRIMARY KEY (partition, width, starts_at, key)
) WITH (fillfactor = 50)`
]
