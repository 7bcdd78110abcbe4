/** The train rows of a version whose answers look wrong, as a training finds them. */

/** A similar train row. */
export interface Neighbour {
  /** The position among the train rows, in the order of their keys. */
  readonly row: number
  readonly answer: string
  /** Cosine of the weighted features, from 0 to 1. */
  readonly similarity: number
}

export interface ExaminedSuspect extends Pick<Neighbour, "answer" | "row"> {
  /** The most probable other answer, and its probability. */
  readonly suggested: string
  readonly confidence: number
  /** By how much it is more probable than the row's answer. */
  readonly score: number
  /** Whether `clean: "drop"` leaves the row out. */
  readonly isConfident: boolean
  /** The most similar first; empty beyond the first suspects. */
  readonly neighbours: ReadonlyArray<Neighbour>
}

export interface Examination {
  /** Rows that a model judged that had not learnt from them. */
  readonly examined: number
  /** The most suspicious first. */
  readonly suspects: ReadonlyArray<ExaminedSuspect>
}

/** Why rows cannot be examined, for a person. */
export interface Unexaminable {
  readonly reason: string
}

export const isUnexaminable = (found: Examination | Unexaminable): found is Unexaminable => "reason" in found
