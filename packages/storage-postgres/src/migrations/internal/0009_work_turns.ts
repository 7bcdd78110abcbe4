/** Claims in which partitions take turns. */
export const statements: ReadonlyArray<string> = [
  `-- By it a claim steps from one partition that has work to the next. On an expression, so that statements about one item,
-- whose plans may be as old as the empty table, do not take it for theirs.
CREATE INDEX work_turns ON work (topic, (partition || ''), ready_at, subject)`
]
