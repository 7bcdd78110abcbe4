/** Words of questions that a student learns: heads, and the soft targets of rows. */
import type { VersionQuestion } from "@limbeck/distill/dataset/VersionQuestion"

/** A JSON field or a question with its own answer, one of the labels from `from` to `to`. */
export interface Head {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Label of the first head (the tool) that this head requires. Absent: the head belongs to every row. */
  readonly when?: number
}

export type LearntQuestion = Pick<VersionQuestion, "question" | "name" | "kind" | "options">

/** A distribution for one head of a row, by the question's options. */
interface Target {
  readonly head: number
  readonly probabilities: ReadonlyArray<number>
}

/** By ascending head. */
export type Targets = ReadonlyArray<Target>
