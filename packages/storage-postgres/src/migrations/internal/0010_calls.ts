/** Captured calls, with tags, shadow results and feedback. */
export const statements: ReadonlyArray<string> = [
  `-- A removed call stays as an empty row, so that no journal brings it back. Bodies, and other texts that outsiders write,
-- begin with \\x01 and are json text where plain text could not hold them: a NUL.
CREATE TABLE calls (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  removed boolean NOT NULL DEFAULT false,
  endpoint text NOT NULL,
  source text COLLATE "C",
  source_name text,
  model text COLLATE "C",
  served_by text COLLATE "C" NOT NULL,
  deployment text COLLATE "C",
  fallback_reason text,
  confidence double precision,
  tags text[] NOT NULL,
  external_id text COLLATE "C",
  outcome text COLLATE "C" NOT NULL,
  status_code bigint,
  streamed boolean NOT NULL,
  request text NOT NULL,
  request_is_json boolean NOT NULL,
  response text,
  response_is_json boolean NOT NULL,
  assembler_version bigint,
  input_tokens bigint,
  output_tokens bigint,
  cost_micros bigint,
  billed boolean NOT NULL,
  latency_millis bigint NOT NULL,
  first_token_millis bigint,
  PRIMARY KEY (partition, id)
)`,

  `-- Quicker than what is the default, and as small; not every server was built with it.
DO $$ BEGIN
  ALTER TABLE calls ALTER COLUMN request SET COMPRESSION lz4, ALTER COLUMN response SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$`,

  "CREATE INDEX calls_source ON calls (partition, source, id) WHERE source IS NOT NULL",
  "CREATE INDEX calls_model ON calls (partition, model, id) WHERE model IS NOT NULL",
  "CREATE INDEX calls_served_by ON calls (partition, served_by, id)",
  "CREATE INDEX calls_external_id ON calls (partition, external_id, id) WHERE external_id IS NOT NULL",
  "CREATE INDEX calls_outcome ON calls (partition, outcome, id) WHERE outcome <> 'succeeded'",

  `-- Holds whatever figures of a deployment are made of.
CREATE INDEX calls_deployment ON calls (partition, deployment, id)
  INCLUDE (served_by, outcome, latency_millis, cost_micros) WHERE deployment IS NOT NULL`,

  `CREATE TABLE call_tags (
  partition text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (partition, tag, id)
)`,

  `CREATE TABLE call_shadows (
  partition text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,
  deployment text COLLATE "C" NOT NULL,
  error text,
  message text,
  confidence double precision,
  latency_millis bigint NOT NULL,
  agrees boolean,
  created_at bigint NOT NULL,
  PRIMARY KEY (partition, call, deployment)
)`,

  "CREATE INDEX call_shadows_deployment ON call_shadows (partition, deployment)",

  `CREATE TABLE call_feedback (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  call text COLLATE "C",
  external_id text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  value double precision NOT NULL,
  comment text,
  created_at bigint NOT NULL,
  PRIMARY KEY (partition, id)
)`,

  "CREATE INDEX call_feedback_call ON call_feedback (partition, call, id) WHERE call IS NOT NULL",
  "CREATE INDEX call_feedback_call_value ON call_feedback (partition, call, value) WHERE call IS NOT NULL",
  "CREATE INDEX call_feedback_external ON call_feedback (partition, external_id, id) WHERE external_id IS NOT NULL",
  `CREATE INDEX call_feedback_external_value ON call_feedback (partition, external_id, value)
  WHERE external_id IS NOT NULL`,
  "CREATE INDEX call_feedback_name ON call_feedback (partition, name, id)"
]
