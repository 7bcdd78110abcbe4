/** Distill tables: rows of dataset versions, metrics and logs of runs. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE dataset_rows (
  partition text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  split text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (partition, version, key)
)`,

  `-- seq is the order of appending.
CREATE TABLE run_metrics (
  partition text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  stage bigint NOT NULL,
  name text NOT NULL,
  unit text NOT NULL,
  step double precision NOT NULL,
  value double precision NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (partition, run, seq)
)`,

  `-- seq counts from 1 within the run. The message is json text, which may hold what text may not: a NUL.
CREATE TABLE run_logs (
  partition text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  stage bigint NOT NULL,
  at bigint NOT NULL,
  level text NOT NULL,
  message json NOT NULL,
  PRIMARY KEY (partition, run, seq)
)`
]
