/** Makes unreferenced contents removable: contents have a put time, and resources are labelled with the digests they name. */
export const statements: ReadonlyArray<string> = [
  `-- The default is for what is there already: a day is left to refer to it.
ALTER TABLE blobs ADD COLUMN put_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint`,

  `-- As the code writes it from now on. A digest that is none of a blob finds nothing.
UPDATE resources SET labels = labels || ARRAY(
  SELECT DISTINCT 'blob:' || found[1] FROM regexp_matches(doc::text, '"([0-9a-f]{64})"', 'g') AS found)
WHERE kind IN ('upload', 'connector_pull', 'distill_run', 'student_model') AND doc::text ~ '"[0-9a-f]{64}"'`
]
