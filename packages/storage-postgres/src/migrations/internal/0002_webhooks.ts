/** Webhook tables: the history of deliveries, due deliveries, and attempts. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE deliveries (
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
)`,

  "CREATE INDEX deliveries_endpoint ON deliveries (partition, endpoint_id, id)",

  "CREATE INDEX deliveries_dead_lettered ON deliveries (partition, endpoint_id) WHERE status = 'dead_lettered'",

  `-- Deliveries that are not final, and nothing else: history must not slow down the search for due ones.
-- ready_at is when one may be taken: its due time or, while a lease is held, the end of the lease.
CREATE TABLE deliveries_due (
  id text COLLATE "C" NOT NULL,
  partition text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  ready_at bigint NOT NULL,
  lease bigint,
  PRIMARY KEY (id, partition)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)`,

  "CREATE INDEX deliveries_due_ready ON deliveries_due (ready_at, id)",

  "CREATE INDEX deliveries_due_endpoint ON deliveries_due (endpoint_id, ready_at, id)",

  `CREATE TABLE attempts (
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
)`,

  "CREATE INDEX attempts_endpoint ON attempts (partition, endpoint_id, started_at) INCLUDE (succeeded)"
]
