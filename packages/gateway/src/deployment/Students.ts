/** The students there are, as deployments see them: found by id, loaded, and asked. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

export interface Student {
  readonly id: string
  readonly name: string | null
  /** `builtin`: served in this process; `llm`: served at an endpoint of its own. */
  readonly engine: "builtin" | "llm"
  readonly loop: string | null
  /** False for one of a rehearsal or a stub: there is nothing to serve. */
  readonly deployable: boolean
}

/** Why a student cannot be served: its artifact is gone, or is not one that we read. */
export class StudentUnreadable extends Schema.TaggedError<StudentUnreadable>()("StudentUnreadable", {
  message: Schema.String
}) {}

export interface StudentAnswer {
  /** What it says: the text of the assistant's message. */
  readonly text: string
  /** 0 to 1, calibrated: how often answers that are so sure are right. */
  readonly confidence: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A builtin student that is in memory. */
export interface LoadedStudent {
  /** Takes milliseconds of this thread at most. */
  readonly answer: (messages: ReadonlyArray<ChatMessage>) => StudentAnswer
}

/** Of a chat completion: whatever else it holds. */
export type ChatMessage = Schema.JsonObject & { readonly role: string }

export class Students extends Context.Service<
  Students,
  {
    readonly find: (partition: Partition, id: string) => Effect.Effect<Option.Option<Student>, StorageError>
    /** Of a builtin student; kept in memory for as long as a scope that asked for it is open. */
    readonly load: (
      partition: Partition,
      id: string
    ) => Effect.Effect<LoadedStudent, StudentUnreadable | StorageError, Scope.Scope>
    /** Whether two assistant messages say the same, as reports count it. */
    readonly saysTheSame: (one: ChatMessage, other: ChatMessage) => boolean
  }
>()("@limbeck/gateway/deployment/Students") {}
