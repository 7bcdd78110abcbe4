/** Tables of core: resources, events, idempotency, work and blobs. */
export const statements: ReadonlyArray<string> = [
  `-- Lease tokens of all tables: they only go up, also when an item is removed and comes back.
CREATE SEQUENCE leases`,

  `-- The document is json, not jsonb, so that members keep the order in which they were written.
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
) WITH (fillfactor = 80)`,

  `-- The partition comes last: a credential is looked for before its partition is known.
CREATE UNIQUE INDEX resources_unique_key ON resources (kind, unique_key, partition) WHERE unique_key IS NOT NULL`,

  "CREATE INDEX resources_labels ON resources USING gin (labels)",

  `-- xid is the transaction that appended: forward walks go by it and stop before the oldest that is still open.
CREATE TABLE events (
  partition text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  body text NOT NULL,
  PRIMARY KEY (partition, id)
)`,

  "CREATE INDEX events_forward ON events (partition, xid, id)",

  `CREATE TABLE idempotency_records (
  partition text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  status bigint NOT NULL,
  body text NOT NULL,
  sealed boolean NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (partition, key)
)`,

  "CREATE INDEX idempotency_records_expiry ON idempotency_records (expires_at)",

  `-- ready_at is when the item may be taken: its due time or, while a lease is held, the end of the lease.
CREATE TABLE work (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  partition text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  ready_at bigint NOT NULL,
  lease bigint,
  UNIQUE (topic, subject, partition)
)`,

  "CREATE INDEX work_ready ON work (topic, ready_at, partition, subject)",

  "CREATE SEQUENCE blob_uploads",

  `-- A piece belongs to an upload; it is visible once a blob names the upload.
CREATE TABLE blob_pieces (
  upload bigint NOT NULL,
  seq bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (upload, seq)
)`,

  `-- Not compressed: content is often compressed already, and it is only ever read whole.
ALTER TABLE blob_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL`,

  `CREATE TABLE blobs (
  partition text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  upload bigint NOT NULL,
  PRIMARY KEY (partition, sha256)
)`
]
