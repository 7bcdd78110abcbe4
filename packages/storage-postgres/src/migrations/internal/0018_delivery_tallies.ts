/** Running counts per endpoint: attempts by the five minutes in which they began, and dead letters. */
export const statements: ReadonlyArray<string> = [
  `-- The row of dead letters has the greatest safe integer in the place of a time: it ends the rows of its endpoint.
CREATE TABLE delivery_tallies (
  partition text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  starts_at bigint NOT NULL,
  attempts bigint NOT NULL,
  succeeded bigint NOT NULL,
  dead_lettered bigint NOT NULL,
  PRIMARY KEY (partition, endpoint_id, starts_at)
) WITH (fillfactor = 70)`,

  // For removing what is old.
  `CREATE INDEX delivery_tallies_starts ON delivery_tallies (starts_at)`,

  // No statistic covers attempts older than a day.
  `INSERT INTO delivery_tallies (partition, endpoint_id, starts_at, attempts, succeeded, dead_lettered)
SELECT partition, endpoint_id, started_at - started_at % 300000, count(*), count(*) FILTER (WHERE succeeded), 0
FROM attempts WHERE started_at > (SELECT max(started_at) FROM attempts) - 172800000
GROUP BY 1, 2, 3
UNION ALL
SELECT partition, endpoint_id, 9007199254740991, 0, 0, count(*)
FROM deliveries WHERE status = 'dead_lettered' GROUP BY 1, 2`
]
