/**
 * The tables. What lists and claims look for has a column, and the rest of a thing is the JSON of `body`. Large columns come last:
 * SQLite reads a row from its beginning, and what lies behind the columns that it needs stays on the disk.
 */

const core = `
CREATE TABLE IF NOT EXISTS resources (
  partition TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, unique_name ANY, revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, kind, id), UNIQUE (kind, unique_name, partition)
) STRICT;
CREATE TABLE IF NOT EXISTS labels (
  partition TEXT NOT NULL, kind TEXT NOT NULL, label ANY NOT NULL, id TEXT NOT NULL,
  PRIMARY KEY (partition, kind, label, id),
  FOREIGN KEY (partition, kind, id) REFERENCES resources ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS labels_of_resource ON labels (partition, kind, id);

-- With one writer, the order of places is the order of commits. AUTOINCREMENT: the place of a removed event is not given again.
CREATE TABLE IF NOT EXISTS events (
  place INTEGER PRIMARY KEY AUTOINCREMENT, partition TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
  created_at INTEGER NOT NULL, body TEXT NOT NULL,
  UNIQUE (partition, id)
) STRICT;
CREATE INDEX IF NOT EXISTS events_by_place ON events (partition, place);
CREATE INDEX IF NOT EXISTS events_by_age ON events (created_at, id);

CREATE TABLE IF NOT EXISTS answers (
  partition TEXT NOT NULL, key TEXT NOT NULL, expires_at INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (expires_at);

-- Numbers of leases, of work and of deliveries: each is given once.
CREATE TABLE IF NOT EXISTS leases (id INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
INSERT OR IGNORE INTO leases VALUES (1, 0);

-- ready_at: when it is due, or, while somebody holds it, when the lease ends.
CREATE TABLE IF NOT EXISTS work (
  id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition TEXT NOT NULL, subject TEXT NOT NULL,
  ready_at INTEGER NOT NULL, lease INTEGER,
  UNIQUE (topic, partition, subject)
) STRICT;
CREATE INDEX IF NOT EXISTS work_due ON work (topic, ready_at);

-- A content is the parts that have its digest, by place. Of each part its first bytes count; pieces hold them all.
CREATE TABLE IF NOT EXISTS contents (
  partition TEXT NOT NULL, sha256 TEXT NOT NULL, put_at INTEGER NOT NULL,
  PRIMARY KEY (partition, sha256)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS parts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, partition TEXT NOT NULL, written_at INTEGER NOT NULL, bytes INTEGER NOT NULL DEFAULT 0,
  sha256 TEXT, place INTEGER,
  FOREIGN KEY (partition, sha256) REFERENCES contents ON DELETE CASCADE
) STRICT;
CREATE INDEX IF NOT EXISTS parts_of_content ON parts (partition, sha256, place);
CREATE TABLE IF NOT EXISTS pieces (
  part INTEGER NOT NULL REFERENCES parts ON DELETE CASCADE, place INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (part, place)
) STRICT;

CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;`

const webhooks = `
-- ready_at: when it is due, or, while somebody holds it, when the lease ends; NULL once it is final.
CREATE TABLE IF NOT EXISTS deliveries (
  partition TEXT NOT NULL, id TEXT NOT NULL, endpoint TEXT NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL,
  status TEXT NOT NULL, lane TEXT NOT NULL, ready_at INTEGER, lease INTEGER,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, id)
) STRICT;
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (lane, endpoint, ready_at, id) WHERE ready_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_next ON deliveries (ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_of_endpoint ON deliveries (partition, endpoint, id);
CREATE INDEX IF NOT EXISTS deliveries_by_status ON deliveries (partition, endpoint, status, id);
CREATE INDEX IF NOT EXISTS deliveries_by_age ON deliveries (created_at);
CREATE TABLE IF NOT EXISTS attempts (
  partition TEXT NOT NULL, delivery TEXT NOT NULL, number INTEGER NOT NULL, endpoint TEXT NOT NULL,
  started_at INTEGER NOT NULL, succeeded INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, delivery, number),
  FOREIGN KEY (partition, delivery) REFERENCES deliveries ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS attempts_of_endpoint ON attempts (partition, endpoint, started_at, succeeded);`

const billing = `
CREATE TABLE IF NOT EXISTS accounts (partition TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entries (
  partition TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, reference ANY NOT NULL, created_at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (partition, id), UNIQUE (partition, kind, reference)
) STRICT;
CREATE TABLE IF NOT EXISTS usage (
  partition TEXT NOT NULL, key TEXT NOT NULL, date TEXT NOT NULL, kind TEXT NOT NULL, quantity REAL NOT NULL,
  micros INTEGER NOT NULL,
  PRIMARY KEY (partition, key)
) STRICT, WITHOUT ROWID;`

const distill = `
CREATE TABLE IF NOT EXISTS rows (
  partition TEXT NOT NULL, version TEXT NOT NULL, key TEXT NOT NULL, split TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, version, key)
) STRICT;
-- seq counts the log lines of a run; other records have none.
CREATE TABLE IF NOT EXISTS records (
  partition TEXT NOT NULL, run TEXT NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, stage INTEGER, seq INTEGER,
  body TEXT NOT NULL,
  PRIMARY KEY (partition, run, place)
) STRICT;
CREATE INDEX IF NOT EXISTS records_by_kind ON records (partition, run, kind, seq);`

const capture = `
-- facts: the call without its texts, as JSON; NULL once it was removed, so that its id stays taken.
CREATE TABLE IF NOT EXISTS calls (
  partition TEXT NOT NULL, id TEXT NOT NULL, created_at INTEGER NOT NULL, external_id ANY, deployment TEXT,
  facts TEXT, request ANY, response ANY,
  PRIMARY KEY (partition, id)
) STRICT;
CREATE INDEX IF NOT EXISTS calls_by_age ON calls (created_at, id);
CREATE INDEX IF NOT EXISTS calls_of_deployment ON calls (partition, deployment, id) WHERE deployment IS NOT NULL;
CREATE INDEX IF NOT EXISTS calls_by_external_id ON calls (partition, external_id) WHERE external_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS tallies (
  partition TEXT NOT NULL, width TEXT NOT NULL, starts_at INTEGER NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, width, starts_at, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tallies_by_age ON tallies (width, starts_at);
CREATE TABLE IF NOT EXISTS shadows (
  partition TEXT NOT NULL, call TEXT NOT NULL, deployment TEXT NOT NULL, created_at INTEGER NOT NULL,
  awaits_taker INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, call, deployment)
) STRICT;
CREATE INDEX IF NOT EXISTS shadows_of_deployment ON shadows (partition, deployment, created_at);
CREATE INDEX IF NOT EXISTS shadows_awaiting ON shadows (created_at) WHERE awaits_taker;
CREATE TABLE IF NOT EXISTS feedback (
  partition TEXT NOT NULL, id TEXT NOT NULL, created_at INTEGER NOT NULL, call ANY, external_id ANY, name ANY NOT NULL,
  value REAL NOT NULL, awaits_call INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, id)
) STRICT;
CREATE INDEX IF NOT EXISTS feedback_by_age ON feedback (created_at, id);
CREATE INDEX IF NOT EXISTS feedback_awaiting ON feedback (created_at, id) WHERE awaits_call;
CREATE INDEX IF NOT EXISTS feedback_of_call ON feedback (partition, call) WHERE call IS NOT NULL;
CREATE INDEX IF NOT EXISTS feedback_of_external_id ON feedback (partition, external_id) WHERE external_id IS NOT NULL;`

const chat = `
CREATE TABLE IF NOT EXISTS conversations (
  partition TEXT NOT NULL, id TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  session ANY NOT NULL, sandbox INTEGER NOT NULL, agent TEXT, body TEXT NOT NULL,
  PRIMARY KEY (partition, id), UNIQUE (partition, session, sandbox)
) STRICT;
CREATE INDEX IF NOT EXISTS conversations_by_age ON conversations (updated_at);
CREATE TABLE IF NOT EXISTS messages (
  partition TEXT NOT NULL, id TEXT NOT NULL, conversation TEXT NOT NULL, place INTEGER NOT NULL, status TEXT NOT NULL,
  created_at INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (partition, id)
) STRICT;
CREATE INDEX IF NOT EXISTS messages_of_conversation ON messages (partition, conversation, place, status);`

export const tables = [core, webhooks, billing, distill, capture, chat].join("\n")

/** In a file of its own: counted uses are independent of transactions, and may be lost in a crash. */
export const rateTables = `
CREATE TABLE IF NOT EXISTS buckets (key TEXT PRIMARY KEY, tokens REAL NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS buckets_by_age ON buckets (at);`
