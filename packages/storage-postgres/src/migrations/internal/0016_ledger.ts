/** The ledger: accounts, the entries that move money between them, and usage by day. */
export const statements: ReadonlyArray<string> = [
  `-- What the entries of a partition come to. Its row is the lock of all who post there.
CREATE TABLE ledger_accounts (
  partition text COLLATE "C" PRIMARY KEY,
  funding bigint NOT NULL DEFAULT 0,
  available bigint NOT NULL DEFAULT 0,
  held bigint NOT NULL DEFAULT 0,
  spent bigint NOT NULL DEFAULT 0,
  CHECK (funding + available + held + spent = 0),
  CHECK (held >= 0 AND spent >= 0)
) WITH (fillfactor = 50)`,
  `-- Double entry: each moves an amount of micro-dollars from one account to another. A cause has one entry of a kind.
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
)`,
  `CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an entry of the ledger is never changed';
END
$$`,
  `CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change()`,
  `-- What charges come to, by day and by what used it.
CREATE TABLE ledger_usage (
  partition text COLLATE "C" NOT NULL,
  date text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  quantity double precision NOT NULL,
  micros bigint NOT NULL,
  PRIMARY KEY (partition, date, kind)
) WITH (fillfactor = 50)`
]
