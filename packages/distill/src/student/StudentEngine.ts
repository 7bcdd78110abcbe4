/** What reads a student's artifact and answers with it, in this process. */
import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import type { Message } from "../dataset/RowText.ts"

interface Prediction {
  readonly text: string
  /** 0 to 1, calibrated. */
  readonly confidence: number
  /** Whether the prompt is unlike the train rows; false by default, for a student without this check. */
  readonly isNew?: boolean
}

export interface RunningStudent {
  /** The prompt as a row's messages would hold it. Takes milliseconds of this thread at most. */
  readonly predict: (prompt: ReadonlyArray<Message>) => Prediction
}

export class StudentEngine extends Context.Service<
  StudentEngine,
  {
    /** `format`: of the artifact. A failure says, for a person, why the bytes are none of a student that it runs. */
    readonly load: (format: string, bytes: Uint8Array) => Result.Result<RunningStudent, string>
  }
>()("@limbeck/distill/student/StudentEngine") {}
