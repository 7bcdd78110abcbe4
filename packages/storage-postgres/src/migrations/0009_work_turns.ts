/** Claims in which partitions take turns. */
export const statements: ReadonlyArray<string> = [
  `-- By it a claim steps from one partition that has work to the next.
CREATE INDEX work_turns ON work (topic, partition, ready_at, subject)`
]
