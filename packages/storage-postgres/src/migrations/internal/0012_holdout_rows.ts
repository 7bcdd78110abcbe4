/** Holdout rows are few, and are read alone, by evaluations and by pages. */
export const statements: ReadonlyArray<string> = [
  `-- By the primary key each of them would be looked for among all rows of its version, in the table itself.
CREATE INDEX dataset_rows_holdout ON dataset_rows (partition, version, key) WHERE split = 'holdout'`
]
