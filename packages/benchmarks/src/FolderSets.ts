/** Labelled texts of a folder (`DecisionSets`) in the splits of the student benchmarks. */
import * as DecisionSets from "./DecisionSets.ts"
import type { Text } from "./StudentSet.ts"
import * as ThresholdTrials from "./ThresholdTrials.ts"

const sizes = { train: 4_000, holdout: 600 }
const seed = 5

const shuffled = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const next = ThresholdTrials.uniformOf(seed)
  return items
    .map((item) => ({ item, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Rows behind the first train rows are fresh rows, like the file's own test rows. The teacher makes no errors. */
const textsOf = ({ student, teacher, test }: DecisionSets.DecisionSet): ReadonlyArray<Text> => {
  const rows = shuffled([...teacher.flat(), ...student.flat()], seed)
  const splitOf = (at: number): Text["split"] =>
    at < sizes.train ? "train" : at < sizes.train + sizes.holdout ? "holdout" : "test"
  return [
    ...rows.map(({ label, text }, at) => ({ split: splitOf(at), text, gold: label, teacher: label })),
    ...test.map(({ label, text }) => ({ split: "test" as const, text, gold: label, teacher: label }))
  ]
}

export const read = (folder: string): ReadonlyMap<string, ReadonlyArray<Text>> =>
  new Map(DecisionSets.inFolder(folder).map((set) => [set.name, textsOf(set)]))
