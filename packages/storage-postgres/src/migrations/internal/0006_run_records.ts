/** Metrics, log lines and states of a run in one order, so that its stream can go on from any place. */
export const statements: ReadonlyArray<string> = [
  `-- place counts from 1 within the run over all records; log counts its log lines. A record is a metric, a log line or a
-- state, and leaves empty what the others have. The message is json text, which may hold what text may not: a NUL.
CREATE TABLE run_records (
  partition text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  at bigint NOT NULL,
  stage bigint,
  metric text,
  unit text,
  step double precision,
  value double precision,
  log bigint,
  level text,
  message json,
  state text,
  PRIMARY KEY (partition, run, place)
)`,

  `CREATE UNIQUE INDEX run_records_log ON run_records (partition, run, log) WHERE log IS NOT NULL`,

  `INSERT INTO run_records (partition, run, place, at, stage, metric, unit, step, value, log, level, message)
SELECT partition, run, row_number() OVER (PARTITION BY partition, run ORDER BY at, log NULLS FIRST, seq),
  at, stage, metric, unit, step, value, log, level, message
FROM (
  SELECT partition, run, seq, at, stage, name AS metric, unit, step, value,
    NULL::bigint AS log, NULL::text AS level, NULL::json AS message FROM run_metrics
  UNION ALL
  SELECT partition, run, seq, at, stage, NULL, NULL, NULL, NULL, seq, level, message FROM run_logs
) before`,

  `DROP TABLE run_metrics, run_logs`
]
