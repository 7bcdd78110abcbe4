/**
 * Webhook history in ranges of time that are dropped whole. Ids sort by time, so deliveries are divided by their id and
 * attempts by the id of their delivery: both leave together.
 */
export const statements: ReadonlyArray<string> = [
  "ALTER TABLE deliveries RENAME TO deliveries_before",
  "ALTER INDEX deliveries_pkey RENAME TO deliveries_before_pkey",
  "ALTER INDEX deliveries_endpoint RENAME TO deliveries_before_endpoint",
  "ALTER INDEX deliveries_dead_lettered RENAME TO deliveries_before_dead_lettered",
  "ALTER TABLE attempts RENAME TO attempts_before",
  "ALTER INDEX attempts_pkey RENAME TO attempts_before_pkey",
  "DROP INDEX attempts_endpoint",

  "CREATE TABLE deliveries (LIKE deliveries_before, PRIMARY KEY (id, partition)) PARTITION BY RANGE (id)",

  "CREATE INDEX deliveries_endpoint ON deliveries (partition, endpoint_id, id)",

  `CREATE INDEX deliveries_dead_lettered ON deliveries (partition, endpoint_id, id) INCLUDE (created_at, updated_at)
WHERE status = 'dead_lettered'`,

  `-- Lists with filters. What waits is in deliveries_due too, and an insert has one index less to write. As one expression,
-- because by three columns the planner would walk an endpoint's whole history in deliveries_endpoint instead.
CREATE INDEX deliveries_final ON deliveries (partition, (endpoint_id || ' ' || event_type || ' ' || status), id)
WHERE due_at IS NULL`,

  `CREATE TABLE attempts (LIKE attempts_before, PRIMARY KEY (partition, delivery_id, id))
PARTITION BY RANGE (delivery_id)`,

  "CREATE INDEX attempts_endpoint ON attempts (partition, endpoint_id, succeeded, started_at)",

  `-- For what no range was made in time.
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT`,

  "CREATE TABLE attempts_default PARTITION OF attempts DEFAULT",

  `-- What was there before becomes the first range, without a copy.
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
END $$`
]
