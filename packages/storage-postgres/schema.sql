-- 0001_core

-- Lease tokens of all tables: they only go up, also when an item is removed and comes back.
CREATE SEQUENCE leases;

-- The document is json, not jsonb, so that members keep the order in which they were written.
CREATE TABLE resources (
  kind text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  unique_key text COLLATE "C",
  labels text[] NOT NULL,
  doc json NOT NULL,
  PRIMARY KEY (kind, partition, id)
) WITH (fillfactor = 80);

-- The partition comes last: a credential is looked for before its partition is known.
CREATE UNIQUE INDEX resources_unique_key ON resources (kind, unique_key, partition) WHERE unique_key IS NOT NULL;

CREATE INDEX resources_labels ON resources USING gin (labels);

-- xid is the transaction that appended: forward walks go by it and stop before the oldest that is still open.
CREATE TABLE events (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  body text NOT NULL,
  PRIMARY KEY (partition, id)
);

CREATE INDEX events_forward ON events (partition, xid, id);

CREATE TABLE idempotency_records (
  partition text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  status bigint NOT NULL,
  body text NOT NULL,
  sealed boolean NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (partition, key)
);

CREATE INDEX idempotency_records_expiry ON idempotency_records (expires_at);

-- ready_at is when the item may be taken: its due time or, while a lease is held, the end of the lease.
CREATE TABLE work (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  ready_at bigint NOT NULL,
  lease bigint,
  UNIQUE (topic, subject, partition)
);

CREATE INDEX work_ready ON work (topic, ready_at, partition, subject);

CREATE SEQUENCE blob_uploads;

-- A piece belongs to an upload; it is visible once a blob names the upload.
CREATE TABLE blob_pieces (
  upload bigint NOT NULL,
  seq bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (upload, seq)
);

-- Not compressed: content is often compressed already, and it is only ever read whole.
ALTER TABLE blob_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE blobs (
  partition text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  upload bigint NOT NULL,
  PRIMARY KEY (partition, sha256)
);

-- 0002_webhooks

CREATE TABLE deliveries (
  id text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  attempt_count bigint NOT NULL,
  cycle_started_at bigint,
  cycle_attempts bigint NOT NULL,
  trigger text NOT NULL,
  last_result json NOT NULL,
  due_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (id, partition)
);

CREATE INDEX deliveries_endpoint ON deliveries (partition, endpoint_id, id);

CREATE INDEX deliveries_dead_lettered ON deliveries (partition, endpoint_id) WHERE status = 'dead_lettered';

-- Deliveries that are not final, and nothing else: history must not slow down the search for due ones.
-- ready_at is when one may be taken: its due time or, while a lease is held, the end of the lease.
CREATE TABLE deliveries_due (
  id text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  ready_at bigint NOT NULL,
  lease bigint,
  PRIMARY KEY (id, partition)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX deliveries_due_ready ON deliveries_due (ready_at, id);

CREATE INDEX deliveries_due_endpoint ON deliveries_due (endpoint_id, ready_at, id);

CREATE TABLE attempts (
  id text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  trigger text NOT NULL,
  succeeded boolean NOT NULL,
  result json NOT NULL,
  started_at bigint NOT NULL,
  PRIMARY KEY (partition, delivery_id, id)
);

CREATE INDEX attempts_endpoint ON attempts (partition, endpoint_id, started_at) INCLUDE (succeeded);

-- 0003_distill

CREATE TABLE dataset_rows (
  partition text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  split text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (partition, version, key)
);

-- seq is the order of appending.
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
);

-- seq counts from 1 within the run. The message is json text, which may hold what text may not: a NUL.
CREATE TABLE run_logs (
  partition text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  stage bigint NOT NULL,
  at bigint NOT NULL,
  level text NOT NULL,
  message json NOT NULL,
  PRIMARY KEY (partition, run, seq)
);

-- 0004_webhook_lanes

ALTER TABLE deliveries_due ADD COLUMN retry boolean NOT NULL DEFAULT false;

UPDATE deliveries_due due SET retry = true FROM deliveries d
WHERE d.id = due.id AND d.partition = due.partition AND (d.attempt_count > 0 OR d.trigger = 'manual');

DROP INDEX deliveries_due_ready;

DROP INDEX deliveries_due_endpoint;

CREATE INDEX deliveries_due_ready ON deliveries_due (retry, ready_at, id);

CREATE INDEX deliveries_due_endpoint ON deliveries_due (endpoint_id, retry, ready_at, id);

DROP INDEX deliveries_dead_lettered;

CREATE INDEX deliveries_dead_lettered ON deliveries (partition, endpoint_id, id) INCLUDE (created_at, updated_at)
WHERE status = 'dead_lettered';

-- 0005_webhook_history

ALTER TABLE deliveries RENAME TO deliveries_before;

ALTER INDEX deliveries_pkey RENAME TO deliveries_before_pkey;

ALTER INDEX deliveries_endpoint RENAME TO deliveries_before_endpoint;

ALTER INDEX deliveries_dead_lettered RENAME TO deliveries_before_dead_lettered;

ALTER TABLE attempts RENAME TO attempts_before;

ALTER INDEX attempts_pkey RENAME TO attempts_before_pkey;

DROP INDEX attempts_endpoint;

CREATE TABLE deliveries (LIKE deliveries_before, PRIMARY KEY (id, partition)) PARTITION BY RANGE (id);

CREATE INDEX deliveries_endpoint ON deliveries (partition, endpoint_id, id);

CREATE INDEX deliveries_dead_lettered ON deliveries (partition, endpoint_id, id) INCLUDE (created_at, updated_at)
WHERE status = 'dead_lettered';

-- Lists with filters. What waits is in deliveries_due too, and an insert has one index less to write. As one expression,
-- because by three columns the planner would walk an endpoint's whole history in deliveries_endpoint instead.
CREATE INDEX deliveries_final ON deliveries (partition, (endpoint_id || ' ' || event_type || ' ' || status), id)
WHERE due_at IS NULL;

CREATE TABLE attempts (LIKE attempts_before, PRIMARY KEY (partition, delivery_id, id))
PARTITION BY RANGE (delivery_id);

CREATE INDEX attempts_endpoint ON attempts (partition, endpoint_id, succeeded, started_at);

-- For what no range was made in time.
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT;

CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

-- What was there before becomes the first range, without a copy.
DO $$
DECLARE
  beyond text := (SELECT max(id) || '0' FROM deliveries_before);
BEGIN
  IF beyond IS NULL THEN
    DROP TABLE deliveries_before, attempts_before;
  ELSE
    EXECUTE format('ALTER TABLE deliveries ATTACH PARTITION deliveries_before FOR VALUES FROM (MINVALUE) TO (%L)', beyond);
    EXECUTE format('ALTER TABLE attempts ATTACH PARTITION attempts_before FOR VALUES FROM (MINVALUE) TO (%L)', beyond);
  END IF;
END $$;

-- 0006_run_records

-- place counts from 1 within the run over all records; log counts its log lines. A record is a metric, a log line or a
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
);

CREATE UNIQUE INDEX run_records_log ON run_records (partition, run, log) WHERE log IS NOT NULL;

INSERT INTO run_records (partition, run, place, at, stage, metric, unit, step, value, log, level, message)
SELECT partition, run, row_number() OVER (PARTITION BY partition, run ORDER BY at, log NULLS FIRST, seq),
  at, stage, metric, unit, step, value, log, level, message
FROM (
  SELECT partition, run, seq, at, stage, name AS metric, unit, step, value,
    NULL::bigint AS log, NULL::text AS level, NULL::json AS message FROM run_metrics
  UNION ALL
  SELECT partition, run, seq, at, stage, NULL, NULL, NULL, NULL, seq, level, message FROM run_logs
) before;

DROP TABLE run_metrics, run_logs;

-- 0007_rate_buckets

-- Unlogged: it costs no disk to change, and after a crash of the database every bucket is full, as a missing one is.
CREATE UNLOGGED TABLE rate_buckets (
  key text COLLATE "C" PRIMARY KEY,
  tokens double precision NOT NULL,
  at bigint NOT NULL
) WITH (fillfactor = 50);

-- 0008_blob_pieces

-- The default is for what is there already, and for servers of before that still write.
ALTER TABLE blob_pieces ADD COLUMN written_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint;

-- 0009_work_turns

-- By it a claim steps from one partition that has work to the next. On an expression, so that statements about one item,
-- whose plans may be as old as the empty table, do not take it for theirs.
CREATE INDEX work_turns ON work (topic, (partition || ''), ready_at, subject);

-- 0010_calls

-- A removed call stays as an empty row, so that no journal brings it back. Bodies, and other texts that outsiders write,
-- begin with \x01 and are json text where plain text could not hold them: a NUL.
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
);

-- Quicker than what is the default, and as small; not every server was built with it.
DO $$ BEGIN
  ALTER TABLE calls ALTER COLUMN request SET COMPRESSION lz4, ALTER COLUMN response SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

CREATE INDEX calls_source ON calls (partition, source, id) WHERE source IS NOT NULL;

CREATE INDEX calls_model ON calls (partition, model, id) WHERE model IS NOT NULL;

CREATE INDEX calls_served_by ON calls (partition, served_by, id);

CREATE INDEX calls_external_id ON calls (partition, external_id, id) WHERE external_id IS NOT NULL;

CREATE INDEX calls_outcome ON calls (partition, outcome, id) WHERE outcome <> 'succeeded';

-- Holds whatever figures of a deployment are made of.
CREATE INDEX calls_deployment ON calls (partition, deployment, id)
  INCLUDE (served_by, outcome, latency_millis, cost_micros) WHERE deployment IS NOT NULL;

CREATE TABLE call_tags (
  partition text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (partition, tag, id)
);

CREATE TABLE call_shadows (
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
);

CREATE INDEX call_shadows_deployment ON call_shadows (partition, deployment);

CREATE TABLE call_feedback (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  call text COLLATE "C",
  external_id text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  value double precision NOT NULL,
  comment text,
  created_at bigint NOT NULL,
  PRIMARY KEY (partition, id)
);

CREATE INDEX call_feedback_call ON call_feedback (partition, call, id) WHERE call IS NOT NULL;

CREATE INDEX call_feedback_call_value ON call_feedback (partition, call, value) WHERE call IS NOT NULL;

CREATE INDEX call_feedback_external ON call_feedback (partition, external_id, id) WHERE external_id IS NOT NULL;

CREATE INDEX call_feedback_external_value ON call_feedback (partition, external_id, value)
  WHERE external_id IS NOT NULL;

CREATE INDEX call_feedback_name ON call_feedback (partition, name, id);

-- 0011_blob_references

-- The default is for what is there already: a day is left to refer to it.
ALTER TABLE blobs ADD COLUMN put_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint;

-- As the code writes it from now on. A digest that is none of a blob finds nothing.
UPDATE resources SET labels = labels || ARRAY(
  SELECT DISTINCT 'blob:' || found[1] FROM regexp_matches(doc::text, '"([0-9a-f]{64})"', 'g') AS found)
WHERE kind IN ('upload', 'connector_pull', 'distill_run', 'student_model') AND doc::text ~ '"[0-9a-f]{64}"';

-- 0012_holdout_rows

-- By the primary key each of them would be looked for among all rows of its version, in the table itself.
CREATE INDEX dataset_rows_holdout ON dataset_rows (partition, version, key) WHERE split = 'holdout';

-- 0013_truncated_calls

ALTER TABLE calls ADD COLUMN truncated boolean NOT NULL DEFAULT false;

-- 0014_awaited_calls

ALTER TABLE call_feedback ADD COLUMN awaits_call boolean NOT NULL DEFAULT false;

CREATE INDEX call_feedback_awaiting ON call_feedback (created_at) WHERE awaits_call;

-- 0015_conversations

CREATE TABLE conversations (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  sandbox boolean NOT NULL,
  session text COLLATE "C" NOT NULL,
  agent text COLLATE "C",
  channel text COLLATE "C",
  message_count bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (partition, id)
);

CREATE UNIQUE INDEX conversations_session ON conversations (partition, sandbox, session);

CREATE INDEX conversations_agent ON conversations (partition, agent, id);

CREATE INDEX conversations_updated ON conversations (updated_at);

-- place counts from 1 within the conversation. doc is the whole message; it is json, which may hold what text may not: a NUL.
CREATE TABLE messages (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  conversation text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  queued boolean NOT NULL,
  created_at bigint NOT NULL,
  doc json NOT NULL,
  PRIMARY KEY (partition, id)
);

CREATE UNIQUE INDEX messages_place ON messages (partition, conversation, place);

CREATE INDEX messages_listed ON messages (partition, conversation, id);

CREATE INDEX messages_queued ON messages (partition, conversation, place) WHERE queued;

-- 0016_ledger

-- What the entries of a partition come to. Its row is the lock of all who post there.
CREATE TABLE ledger_accounts (
  partition text COLLATE "C" PRIMARY KEY,
  funding bigint NOT NULL DEFAULT 0,
  available bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0,
  CHECK (funding + available + held + spent = 0),
  CHECK (held >= 0 AND spent >= 0)
) WITH (fillfactor = 50);

-- Double entry: each moves an amount of micro-dollars from one account to another. A cause has one entry of a kind.
CREATE TABLE ledger_entries (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  reference text COLLATE "C" NOT NULL,
  from_account text NOT NULL,
  to_account text NOT NULL,
  micros bigint NOT NULL CHECK (micros > 0),
  created_at bigint NOT NULL,
  PRIMARY KEY (partition, id),
  UNIQUE (partition, reference, kind),
  CHECK (from_account <> to_account)
);

CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an entry of the ledger is never changed';
END
$$;

CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();

-- What charges come to, by day and by what used it.
CREATE TABLE ledger_usage (
  partition text COLLATE "C" NOT NULL,
  date text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  quantity double precision NOT NULL,
  micros bigint NOT NULL,
  PRIMARY KEY (partition, date, kind)
) WITH (fillfactor = 50);

-- 0017_guards

ALTER TABLE call_shadows ADD COLUMN answer bigint, ADD COLUMN verifies boolean NOT NULL DEFAULT false,
  ADD COLUMN counted boolean NOT NULL DEFAULT false;

CREATE INDEX call_shadows_uncounted ON call_shadows (created_at) WHERE verifies AND NOT counted;

-- 0018_delivery_tallies

-- The row of dead letters has the greatest safe integer in the place of a time: it ends the rows of its endpoint.
CREATE TABLE delivery_tallies (
  partition text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  starts_at bigint NOT NULL,
  attempts bigint NOT NULL,
  succeeded bigint NOT NULL,
  dead_lettered bigint NOT NULL,
  PRIMARY KEY (partition, endpoint_id, starts_at)
) WITH (fillfactor = 70);

CREATE INDEX delivery_tallies_starts ON delivery_tallies (starts_at);

INSERT INTO delivery_tallies (partition, endpoint_id, starts_at, attempts, succeeded, dead_lettered)
SELECT partition, endpoint_id, started_at - started_at % 300000, count(*), count(*) FILTER (WHERE succeeded), 0
FROM attempts WHERE started_at > (SELECT max(started_at) FROM attempts) - 172800000
GROUP BY 1, 2, 3
UNION ALL
SELECT partition, endpoint_id, 9007199254740991, 0, 0, count(*)
FROM deliveries WHERE status = 'dead_lettered' GROUP BY 1, 2;

-- 0019_usage_details

ALTER TABLE calls ADD COLUMN usage_details jsonb;

-- 0020_call_attempts

ALTER TABLE calls ADD COLUMN attempts jsonb;

-- 0021_verifying_calls

ALTER TABLE calls ADD COLUMN verifies jsonb;

CREATE INDEX calls_verifying ON calls (partition, id) WHERE verifies IS NOT NULL;

-- 0022_call_decisions

ALTER TABLE calls ADD COLUMN decisions json;

-- 0023_call_tallies

-- key: a digest of source, model, served_by and deployment, which together may be too long for an index.
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
) WITH (fillfactor = 50);

-- 0024_feedback_questions

ALTER TABLE call_feedback ADD COLUMN question text;

-- 0025_feedback_givers

ALTER TABLE call_feedback ADD COLUMN prompt text, ADD COLUMN given_by json;

-- 0026_call_tally_ages

CREATE INDEX call_tallies_age ON call_tallies (width, starts_at);

-- 0027_student_costs

ALTER TABLE calls ADD COLUMN student_micros bigint;

ALTER TABLE call_tallies ADD COLUMN student_micros bigint NOT NULL DEFAULT 0;
