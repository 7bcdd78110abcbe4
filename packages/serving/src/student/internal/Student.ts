/** A student of deployments, and the predictions of a loaded one. */
import type { AgreementCurve } from "@limbeck/distill/report/AgreementCurve"
import type { ToldConfidence } from "@limbeck/distill/report/Evaluation"
import type { HeldOutAnswers } from "@limbeck/distill/report/HeldOutAnswers"
import type { Artifact } from "@limbeck/distill/student/Artifact"
import type { StudentQuestion } from "@limbeck/distill/student/StudentEngine"
import type { HoldoutEvidence, QuestionEvidence, StudentEndpoint } from "@limbeck/distill/student/StudentModel"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StudentFailed } from "./StudentResponse.ts"

export interface Student {
  readonly id: string
  readonly name: string | null
  /** What it was trained from. */
  readonly base: string
  /** `builtin`: served in this process; `llm`: served at an endpoint of its own. */
  readonly engine: "builtin" | "llm"
  readonly loop: string | null
  /** False for the result of a rehearsal or a stub, which has no artifact to serve. */
  readonly deployable: boolean
  /** The default endpoint of a student trained elsewhere. */
  readonly endpoint: StudentEndpoint | null
  /** What a trainer published; null: nothing. */
  readonly artifact: Artifact | null
  /** The id of the source that embeds its requests. Absent for a student without such embeddings. */
  readonly embeddingSource?: string | undefined
  /** The reading of the answers' confidence; null: answers carry none. Absent if unknown, and for builtin students. */
  readonly toldConfidence?: ToldConfidence | null | undefined
  /** The evidence from the holdout of the run; null: none. */
  readonly holdout: HoldoutEvidence | null
  /** The holdout's agreement by threshold of the confidence; empty: unknown. */
  readonly agreementAt: AgreementCurve
  /** Of a student of decisions, by question; null for any other, and without an evaluation. */
  readonly questionEvidence: ReadonlyArray<QuestionEvidence> | null
  /** Its agreement by held-out prompt. */
  readonly heldOut: HeldOutAnswers
}

/** Why a student cannot be served: its artifact is gone, or unreadable. */
export class StudentUnreadable extends Schema.TaggedError<StudentUnreadable>()("StudentUnreadable", {
  message: Schema.String
}) {}

export interface Prediction {
  /** Of the assistant's message. */
  readonly text: string
  /** 0 to 1, calibrated: the share of right predictions at this confidence. */
  readonly confidence: number
  /** Whether the messages are unlike all training rows. */
  readonly isNew: boolean
  /** Whether they are because the student does not know their system prompt. Absent: it does. */
  readonly isUnknownTemplate?: boolean
  /** By the student's labels, or by the options of its questions; empty without either. */
  readonly distribution: ReadonlyArray<number>
  readonly inputTokens: number
  readonly outputTokens: number
  /** The cost of the request's embedding, in micro-dollars; null without a price. Absent for a student without embeddings. */
  readonly costMicros?: number | null
}

/** A builtin student that is in memory. */
export interface LoadedStudent {
  /** Empty for a student of completions. */
  readonly questions: ReadonlyArray<StudentQuestion>
  /** The labels that it answers with; null for a student with other answers. */
  readonly labels: ReadonlyArray<string> | null
  /** Free properties, absent from its JSON answers; empty for whole answers. */
  readonly free: ReadonlyArray<string>
  /** Whether training rows offered these tools; without them the student declines. */
  readonly knowsTools: (tools: Schema.Json) => boolean
  /** Takes milliseconds of this thread at most, after the request of an embedding where the student needs one. */
  readonly predict: (messages: ReadonlyArray<ChatMessage>) => Effect.Effect<Prediction, StudentFailed>
}

/** A message of a chat completion, with whatever else it holds. */
export type ChatMessage = Schema.JsonObject & { readonly role: string }
