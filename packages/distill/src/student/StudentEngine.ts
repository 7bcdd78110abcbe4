/** What reads a student's artifact and answers with it, in this process. */
import * as Context from "effect/Context"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Message } from "../dataset/RowText.ts"
import type { EmbeddingModel } from "../recipe/Recipe.ts"

interface Prediction {
  readonly text: string
  /** 0 to 1, calibrated. */
  readonly confidence: number
  /** Whether the prompt is unlike the train rows; false by default, for a student without this check. */
  readonly isNew?: boolean
  /** Whether it is new because the student does not know its system prompt; false by default. */
  readonly isUnknownTemplate?: boolean
  /** Probabilities in the order of the student's `labels`, or of the options of all its `questions`; absent without either. */
  readonly distribution?: ReadonlyArray<number>
}

/** A question that a student of decisions answers. */
export interface StudentQuestion {
  /** Its identity. */
  readonly question: string
  /** Its options in the distribution of a prediction. */
  readonly from: number
  readonly to: number
  /** The least top probability with which the student answers alone; null: it never does. */
  readonly threshold: number | null
}

/** The model of a source that embeds prompts for a student. */
export interface StudentEmbeddings extends EmbeddingModel {
  /** Extracts the text to embed from a prompt; the embedding of a blank text is all zeros. */
  readonly textOf: (prompt: ReadonlyArray<Message>) => string
  /** Numbers of an embedding. */
  readonly dimensions: number
}

export interface RunningStudent {
  /** Absent for a student of completions. */
  readonly questions?: ReadonlyArray<StudentQuestion>
  /** The labels that it answers with; absent for a student with other answers. */
  readonly labels?: ReadonlyArray<string>
  /** Free properties, absent from its JSON answers. Without this list its answers are whole. */
  readonly free?: ReadonlyArray<string>
  /** Whether its rows offered these tools, as a chat completion writes them. Absent: they offered none. */
  readonly knowsTools?: (tools: Schema.Json) => boolean
  /** The source of prompt embeddings. Absent: predictions need no embedding. */
  readonly embeddings?: StudentEmbeddings
  /** The prompt in the form of a row's messages. `embedding`: of its embedded text. Takes milliseconds of this thread at most. */
  readonly predict: (prompt: ReadonlyArray<Message>, embedding?: Float32Array) => Prediction
}

export class StudentEngine extends Context.Service<
  StudentEngine,
  {
    /** `format`: the artifact's. A failure explains to a person why the bytes are unsupported. */
    readonly load: (format: string, bytes: Uint8Array) => Result.Result<RunningStudent, string>
  }
>()("@limbeck/distill/student/StudentEngine") {}
