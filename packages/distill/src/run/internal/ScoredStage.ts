/** The progress of an evaluation: answers of its student and of candidates, scored as they arrive. */
import { isObject } from "@limbeck/core/json/Json"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Candidates, RepeatedTeacher } from "../../race/Candidates.ts"
import * as CandidateTokens from "../../race/CandidateTokens.ts"
import * as RaceRules from "../../race/RaceRules.ts"
import { type Candidate, EvalConfig } from "../../recipe/Recipe.ts"
import type * as Evaluator from "../../report/internal/Evaluator.ts"
import * as Budget from "../Budget.ts"
import { Progress, type StageContext, type StageFailure } from "../Executor.ts"
import type { Usage } from "../Run.ts"

type Finished = Extract<Progress, { _tag: "Finished" }>

/** The evaluation result from `answers` or decisions; without either, the executor supplies the result. */
const resultOf = Effect.fnUntraced(function* (evaluator: Evaluator.Evaluator, answers: number, { result }: Finished) {
  const decisions = yield* evaluator.decisions
  if (decisions !== null) return { decisions }
  return answers > 0 ? evaluator.result() : result
})

/** Passes each answer to the evaluator on arrival. */
const scoring = (
  evaluator: Evaluator.Evaluator,
  { meter }: StageContext,
  reported: Stream.Stream<Progress, StageFailure>
): Stream.Stream<Progress, StageFailure> => {
  let usage: Usage = meter.start
  const score = Effect.fnUntraced(function* (progress: Progress) {
    if (progress._tag === "Spend" || progress._tag === "Checkpoint") usage = progress.usage
    if (progress._tag === "Answer") {
      const outcome = yield* evaluator.score(progress, usage)
      const spent = Stream.succeed<Progress>(Progress.Spend({ usage: outcome.usage }))
      return outcome.failure === null ? spent : Stream.concat(spent, Stream.fail(outcome.failure))
    }
    if (progress._tag === "Decisions") {
      evaluator.decide(progress)
      return Stream.empty
    }
    return Stream.succeed(progress)
  })
  return Stream.flatMap(reported, (progress) => Stream.unwrap(score(progress)))
}

/** Scores answers as they arrive. The evaluator gives the result of an evaluation with answers. */
export const score = (
  evaluator: Evaluator.Evaluator,
  context: StageContext,
  reported: Stream.Stream<Progress, StageFailure>
): Stream.Stream<Progress, StageFailure> => {
  let answers = 0
  const counted = Stream.tap(reported, (progress) =>
    Effect.sync(() => {
      if (progress._tag === "Answer") answers++
    })
  )
  return Stream.mapEffect(scoring(evaluator, context, counted), (progress) =>
    progress._tag === "Finished"
      ? Effect.map(resultOf(evaluator, answers, progress), (result): Progress => ({ ...progress, result }))
      : Effect.succeed(progress)
  )
}

const decodeConfig = Schema.decodeUnknownOption(EvalConfig)

export const candidatesOf = ({ stage }: StageContext): ReadonlyArray<Candidate> =>
  stage.kind !== "eval"
    ? []
    : Option.match(decodeConfig(stage.config), { onNone: () => [], onSome: ({ candidates = [] }) => candidates })

/** The checkpoint of an evaluation with calls of hosted models: the states of the executor, of the candidates, and of the teacher. */
const State = Schema.Struct({
  executor: Schema.NullOr(Schema.Json),
  candidates: Schema.NullOr(Schema.Json),
  /** Absent in checkpoints of earlier servers. */
  repeats: Schema.optionalKey(Schema.NullOr(Schema.Json))
})
type State = Required<typeof State.Type>
const decodeState = Schema.decodeUnknownOption(State)

/** A state of another form belongs to the executor: an attempt on an earlier version wrote it. */
const stateOf = ({ stage }: StageContext): State => {
  const state = stage.checkpoint?.state ?? null
  const none = { executor: state, candidates: null, repeats: null }
  return Option.match(decodeState(state), { onNone: () => none, onSome: (found) => ({ ...none, ...found }) })
}

/** The stage as one attempt sees it, with its own checkpoint. */
const seenBy = (context: StageContext, state: Schema.Json | null): StageContext => {
  const { checkpoint } = context.stage
  const own = checkpoint === null || state === null ? null : { ...checkpoint, state }
  return { ...context, stage: { ...context.stage, checkpoint: own } }
}

/** The candidates have counted the reservation of the attempt before. */
const seenByTeacher = (context: StageContext, state: Schema.Json | null, isCounted: boolean): StageContext => {
  const { run, ...seen } = seenBy(context, state)
  return { ...seen, run: isCounted ? { ...run, reservedMicros: 0 } : run }
}

interface Race {
  readonly context: StageContext
  readonly candidates: Candidates["Service"]
  readonly evaluator: Evaluator.Evaluator
  readonly execute: (context: StageContext) => Stream.Stream<Progress, StageFailure>
  /** Null: the teacher is not asked again. */
  readonly teacher: RepeatedTeacher | null
}

/**
 * The progress of an evaluation with calls of hosted models: that of its executor, then that of the candidates, that of the judges of
 * their answers, that of the teacher, who gets what the budget leaves, and last the executor's ending with the results of all.
 */
export const raceModels = ({
  candidates,
  context,
  evaluator,
  execute,
  teacher
}: Race): Stream.Stream<Progress, StageFailure> => {
  const before = stateOf(context)
  const named = candidatesOf(context)
  let state = before
  let total: Usage = Budget.most(context.meter.start, context.stage.usage)
  let executorUsage: Usage = context.meter.start
  let ending: Finished | undefined
  let answers = 0

  const reported = Stream.tap(execute(seenBy(context, before.executor)), (progress) =>
    Effect.sync(() => {
      if (progress._tag === "Spend" || progress._tag === "Checkpoint") executorUsage = progress.usage
      if (progress._tag === "Answer") answers++
    })
  )
  const first = scoring(evaluator, context, reported).pipe(
    Stream.map((progress): Progress => {
      if (progress._tag === "Spend") total = Budget.most(total, progress.usage)
      if (progress._tag !== "Checkpoint") return progress
      state = { ...state, executor: progress.state }
      return { ...progress, state }
    }),
    Stream.filter((progress) => {
      if (progress._tag !== "Finished") return true
      ending = progress
      return false
    })
  )
  /** Calls of hosted models, whose checkpoints are a part of the stage's. */
  const hosted = (part: "candidates" | "repeats", progress: Stream.Stream<Progress, StageFailure>) =>
    Stream.flatMap(progress, (one) => {
      if (one._tag !== "Checkpoint") return Stream.succeed<Progress>(one)
      total = Budget.most(total, one.usage)
      state = { ...state, [part]: one.state }
      // What judges have taken is no part of a checkpoint: the next attempt asks them again.
      const usage = { ...one.usage, judgeTokens: executorUsage.judgeTokens }
      return Stream.make<[Progress, Progress]>(Progress.Spend({ usage: one.usage }), { ...one, usage, state })
    })
  const asked = Stream.suspend(() =>
    named.length === 0
      ? Stream.empty
      : hosted("candidates", candidates.ask(seenBy(context, before.candidates), total)).pipe(
          Stream.tap((progress) =>
            progress._tag === "CandidateAnswer" ? evaluator.scoreCandidate(progress) : Effect.void
          )
        )
  )
  const judged = Stream.suspend(() =>
    evaluator.judgeCandidates({ ...total, judgeTokens: executorUsage.judgeTokens })
  ).pipe(
    Stream.map((progress) => {
      if (progress._tag === "Spend") total = Budget.most(total, progress.usage)
      return progress
    })
  )
  const repeated = Stream.suspend(() => {
    if (teacher === null) return Stream.empty
    const seen = seenByTeacher(context, before.repeats, named.length > 0)
    return hosted("repeats", candidates.repeat(seen, total, teacher)).pipe(
      Stream.map((progress) => {
        if (progress._tag === "TeacherAnswer") evaluator.repeat(progress)
        if (progress._tag === "TeacherDecisions") evaluator.repeatDecisions(progress.row, progress.answers)
        return progress
      })
    )
  })
  const end = Effect.fnUntraced(function* (finished: Finished) {
    const result = yield* resultOf(evaluator, answers, finished)
    const raceMembers = () => ({ race: evaluator.race(named, answers === 0 ? null : evaluator.result()) })
    const progress: Progress = {
      ...finished,
      result: { ...(isObject(result) ? result : {}), ...(named.length === 0 ? {} : raceMembers()) }
    }
    return progress
  })
  const last = Stream.suspend(() => (ending === undefined ? Stream.empty : Stream.fromEffect(end(ending))))
  return first.pipe(Stream.concat(asked), Stream.concat(judged), Stream.concat(repeated), Stream.concat(last))
}

/** A rehearsal, and a try-out with stubs, estimates what candidates cost and asks nobody. */
export const estimateCandidates = (
  { partition, run, version, ...context }: StageContext,
  candidates: Candidates["Service"],
  reported: Stream.Stream<Progress, StageFailure>
): Stream.Stream<Progress, StageFailure> => {
  const resultOf = (candidate: Candidate) => {
    const tokens = CandidateTokens.withInstructions(CandidateTokens.perCall(version), candidate)
    return Effect.map(
      Effect.orElseSucceed(candidates.estimate(partition, candidate, tokens), () => Option.none()),
      (micros) => RaceRules.estimateResult(candidate, Option.getOrNull(micros))
    )
  }
  const all = candidatesOf({ partition, run, version, ...context })
  return Stream.mapEffect(reported, (progress) =>
    progress._tag === "Finished"
      ? Effect.map(
          Effect.forEach(all, resultOf),
          (results): Progress => ({
            ...progress,
            result: { stub: true, race: { candidates: results, cheapest: null } }
          })
        )
      : Effect.succeed(progress)
  )
}
