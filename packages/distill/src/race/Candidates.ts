/** The hosted models that an evaluation asks beside its student (contract 16.13). */
import type { DecisionDialect } from "@limbeck/capture/dialect/decisions/Question"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Row } from "../dataset/Row.ts"
import type { Message } from "../dataset/RowText.ts"
import type { Candidate } from "../recipe/Recipe.ts"
import type { Progress, StageContext, StageFailure } from "../run/Executor.ts"
import type { Usage } from "../run/Run.ts"
import type { SourceChatFailure } from "./HostedModels.ts"

/** The teacher of a version, to be asked about rows of the holdout again (contract 16.32). */
export interface RepeatedTeacher {
  /** By name or id. */
  readonly source: string
  readonly model: string
  /** At most. */
  readonly rows: number
  /** Whether the recipe gives the number: the run fails where its budget does not hold it. */
  readonly isGiven: boolean
  /** In which it is asked for decisions; absent for a version of conversations. */
  readonly dialect?: DecisionDialect
}

/** Tokens of one call. */
export interface CallTokens {
  readonly prompt: number
  readonly completion: number
}

/** The money of calls outside of a run, in micro-dollars. */
export interface CallBudget<E> {
  /** Before the first call. */
  readonly spentMicros: number
  /** Asked before each call: succeeds where the budget holds this sum, and stores it before the call is sent. */
  readonly reserve: (upToMicros: number) => Effect.Effect<void, E>
}

/** A model of a source that answers rows within a budget. */
export interface BudgetedModel<E> {
  /** Its answer to the row's prompt; none: no answer came. Fails as the budget does. */
  readonly ask: (row: Row) => Effect.Effect<Option.Option<Message>, E>
  /** Spent so far, as the source reports it, and at the bound for calls without a report. */
  readonly spentMicros: () => number
}

export class Candidates extends Context.Service<
  Candidates,
  {
    /** The estimated cost of one call, in micro-dollars; null without a price. None: there is no such source. */
    readonly estimate: (
      partition: Partition,
      candidate: Candidate,
      tokens: CallTokens
    ) => Effect.Effect<Option.Option<number | null>, StorageError>
    /**
     * The most that the shortest question can cost, in micro-dollars; null without a price. None: there is no such source. Fails where
     * the source takes no conversations.
     */
    readonly leastBound: (
      partition: Partition,
      candidate: Candidate
    ) => Effect.Effect<Option.Option<number | null>, SourceChatFailure | StorageError>
    /** Opens a model for single rows, each call reserved before it is sent. None: there is no such source. */
    readonly open: <E>(
      partition: Partition,
      candidate: Candidate,
      budget: CallBudget<E>
    ) => Effect.Effect<Option.Option<BudgetedModel<E>>, StorageError>
    /**
     * Asks every candidate about every row of the evaluation, each call reserved before it is sent. Answers of earlier attempts come
     * from the checkpoint, and nobody is asked again. `usage`: of the stage so far.
     */
    readonly ask: (context: StageContext, usage: Usage) => Stream.Stream<Progress, StageFailure>
    /** Asks the teacher about rows of the evaluation again, like `ask`. Its calls are not captured, unless they are charged. */
    readonly repeat: (
      context: StageContext,
      usage: Usage,
      teacher: RepeatedTeacher
    ) => Stream.Stream<Progress, StageFailure>
  }
>()("@limbeck/distill/race/Candidates") {}

/** For a host without sources: nobody is asked. */
export const none = (estimate: Candidates["Service"]["estimate"]): Layer.Layer<Candidates> =>
  Layer.succeed(Candidates, {
    estimate,
    leastBound: () => Effect.succeedNone,
    open: () => Effect.succeedNone,
    ask: () => Stream.empty,
    repeat: () => Stream.empty
  })
