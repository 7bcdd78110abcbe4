/** Lanes of deliveries: first attempts and retries wait apart. Dead letters are found in the order of their ids. */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE deliveries_due ADD COLUMN retry boolean NOT NULL DEFAULT false",

  `UPDATE deliveries_due due SET retry = true FROM deliveries d
WHERE d.id = due.id AND d.partition = due.partition AND (d.attempt_count > 0 OR d.trigger = 'manual')`,

  "DROP INDEX deliveries_due_ready",

  "DROP INDEX deliveries_due_endpoint",

  "CREATE INDEX deliveries_due_ready ON deliveries_due (retry, ready_at, id)",

  "CREATE INDEX deliveries_due_endpoint ON deliveries_due (endpoint_id, retry, ready_at, id)",

  "DROP INDEX deliveries_dead_lettered",

  `CREATE INDEX deliveries_dead_lettered ON deliveries (partition, endpoint_id, id) INCLUDE (created_at, updated_at)
WHERE status = 'dead_lettered'`
]
