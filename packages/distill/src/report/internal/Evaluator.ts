/**
 * Scores a student's answers row by row, beside the rows' completions. Reserves the judges' tokens before each score,
 * and reports them as spent afterwards.
 */
import { CallStore } from "@limbeck/capture/call/CallStore"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ClosedFields from "../../dataset/ClosedFields.ts"
import * as PromptDigest from "../../dataset/PromptDigest.ts"
import { exampleOf, type Message, textOf, tokensOf } from "../../dataset/RowText.ts"
import type { Race } from "../../race/Race.ts"
import * as RaceRules from "../../race/RaceRules.ts"
import { type Candidate, EvalConfig, Recipe } from "../../recipe/Recipe.ts"
import * as Reviews from "../../review/Reviews.ts"
import { givesTheSameLabel, saysTheSame, textAndCalls, toMessage } from "../../reward/Completion.ts"
import { type ReadyReward, Rewards } from "../../reward/Rewards.ts"
import { Progress, type StageContext, StageFailure, type StageRow } from "../../run/Executor.ts"
import type { Usage } from "../../run/Run.ts"
import type { DecidedRow, SecondAnswer } from "../DecidedRow.ts"
import type { DecisionEvaluation } from "../DecisionEvaluation.ts"
import { type Evaluation, type Item, summarizeItems } from "../Evaluation.ts"
import type { Verdict } from "../FeedbackQuality.ts"
import * as LearningCurve from "../LearningCurve.ts"
import { seedOf } from "../statistics/SeededRandom.ts"
import * as CandidateJudges from "./CandidateJudges.ts"
import * as DecidedRows from "./DecidedRows.ts"
import * as MonthlyCalls from "./MonthlyCalls.ts"
import * as TeacherCalls from "./TeacherCalls.ts"

type Answer = Extract<Progress, { _tag: "Answer" }>
type CandidateAnswer = Extract<Progress, { _tag: "CandidateAnswer" }>
type TeacherAnswer = Extract<Progress, { _tag: "TeacherAnswer" }>

/** The usage of the stage after an answer's scores, and why the stage fails, if it does. */
interface ScoreOutcome {
  readonly usage: Usage
  readonly failure: StageFailure | null
}

type RacedItem = RaceRules.CandidateItem & CandidateJudges.CandidateScores & { readonly candidate: number }

export interface Evaluator {
  /**
   * Scores one answer. `usage` is the executor's usage so far; returns it plus the judges' tokens, including earlier
   * attempts.
   */
  readonly score: (answer: Answer, usage: Usage) => Effect.Effect<ScoreOutcome, StageFailure>
  /** Takes what a student of decisions says to one row. */
  readonly decide: (decided: DecidedRow & { readonly key: StageRow["key"] }) => void
  /** Notes the teacher's second answers to a row of decisions. */
  readonly repeatDecisions: (row: StageRow["key"], answers: ReadonlyArray<SecondAnswer>) => void
  /** The decision evaluation, with second answers so far; null without decision rows. */
  readonly decisions: Effect.Effect<DecisionEvaluation | null, StageFailure>
  /** Scores one answer of a candidate, with the rewards that ask no judge. */
  readonly scoreCandidate: (answer: CandidateAnswer) => Effect.Effect<void>
  /** Scores the candidates' answers with the rewards that ask a judge, and reports the usage after each batch. */
  readonly judgeCandidates: (usage: Usage) => Stream.Stream<Progress, StageFailure>
  /** Notes the teacher's second answer to a row. */
  readonly repeat: (answer: TeacherAnswer) => void
  /** What the scored answers of these candidates come to, beside the evaluation of the student; null: there is no student. */
  readonly race: (candidates: ReadonlyArray<Candidate>, evaluation: Evaluation | null) => Race
  /** The evaluation of all scored answers. */
  readonly result: () => Evaluation
}

const decodeConfig = Schema.decodeUnknownEffect(EvalConfig)
const decodeRecipe = Schema.decodeUnknownEffect(Recipe)

/** A judge's overhead beside the row, twice, and its maximum output. */
const judgeOverheadTokens = 2 * (400 + 1_024)

const failed = (message: string, retryable: boolean) =>
  new StageFailure({ code: "reward_unavailable", message, retryable })

const numberIn = (metadata: Readonly<Record<string, Schema.Json>> | undefined, name: string): number | null => {
  const value = metadata?.[name]
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null
}

/** The rewards of the stage, or else of the recipe, each ready to score. */
const rewardsOf = Effect.fnUntraced(function* (rewards: Rewards["Service"], { partition, run, stage }: StageContext) {
  // The creation of the run has validated both.
  const config = yield* Effect.orDie(decodeConfig(stage.config))
  const recipe = yield* Effect.orDie(decodeRecipe(run.recipe))
  const ids = [...new Set(config.rewards ?? recipe.rewards)]
  return yield* Effect.forEach(ids, (id) => rewards.ready(partition, id, { judgeModel: config.judge_model })).pipe(
    Effect.catchTags({
      NotFound: ({ id, resource }) => failed(`No such ${resource}: ${id}`, false),
      StorageError: () => failed("The storage did not answer", true)
    })
  )
})

const scoresOf = (ready: ReadonlyArray<ReadyReward>, { completion, row: { row } }: Answer) => {
  const own = exampleOf(row).completion
  return Effect.forEach(ready, ({ reward, score }) =>
    Effect.map(Effect.all([score(row, completion), score(row, own)]), ([student, teacher]) => ({
      pair: { student: student.score, teacher: teacher.score },
      // A judge may become available later; a row without a comparable completion never does.
      failure: [student, teacher].find(({ error }) => error === "no_source" || error === "judge_failed"),
      tokens: student.judgeTokens + teacher.judgeTokens,
      reward
    }))
  )
}

const isBuiltin = (student: string): boolean => student.startsWith("builtin/")

/** A builtin student answers with the most frequent writing of a label, and says the same as the teacher who wrote it otherwise. */
const agree = (own: Message, answered: Message, student: string): boolean =>
  saysTheSame(own, answered) || (isBuiltin(student) && givesTheSameLabel(own, answered))

/** Versions that drop equal rows have lost the teacher's repeated equal answers; only its differing answers remain. */
const promptKeyOf = (prompt: ReadonlyArray<Message>, { version }: StageContext): string | null =>
  version.dedupe === "none" ? JSON.stringify(prompt) : null

/** Null if no feedback concerns the row's own completion. */
const verdictOf = (
  review: Effect.Success<ReturnType<Reviews.Reviews["find"]>>,
  own: Message,
  answered: Message,
  student: string
): Verdict | null => {
  if (review === undefined) return null
  const isRight = (message: Message): boolean | null => {
    if (review.right !== undefined) return agree(review.right, message, student)
    return review.wrong.some((wrong) => agree(wrong, message, student)) ? false : null
  }
  const teacher = isRight(own)
  return teacher === null ? null : { student: isRight(answered), teacher }
}

/** Removes free properties from a JSON answer. */
const partOf = (message: Message, free: ReadonlyArray<string> | undefined): Message => {
  const part = free === undefined ? undefined : ClosedFields.without(textOf(message), free)
  return part === undefined ? message : { ...message, content: part }
}

const itemOf = (
  answer: Answer,
  scores: Item["scores"],
  review: Effect.Success<ReturnType<Reviews.Reviews["find"]>>,
  heldOutKey: string | undefined,
  context: StageContext
): Item => {
  const student = String(context.run.recipe["student_model"])
  const { confidence, confidenceFrom, latencyMillis, row: stageRow } = answer
  const { completion, prompt } = exampleOf(stageRow.row)
  const own = partOf(completion, answer.free)
  const answered = toMessage(answer.completion)
  return {
    row: stageRow.key,
    prompt: textOf(prompt.at(-1) ?? { role: "user" }),
    student: textAndCalls(answered),
    teacher: textAndCalls(own),
    agrees: agree(own, answered, student),
    latencyMillis,
    confidence,
    ...(confidenceFrom === undefined ? {} : { confidenceFrom }),
    ...(answer.costMicros === undefined ? {} : { studentCostMicros: answer.costMicros }),
    ...(answer.template === undefined ? {} : { template: answer.template }),
    heldOutKey,
    promptKey: promptKeyOf(prompt, context),
    verdict: verdictOf(review, own, answered, student),
    scores,
    ...(stageRow.row.weight === undefined ? {} : { weight: stageRow.row.weight }),
    teacherLatencyMillis: numberIn(stageRow.row.metadata, "latency_ms"),
    teacherCostUsd: numberIn(stageRow.row.metadata, "cost_usd")
  }
}

const decodeTraining = Schema.decodeUnknownOption(
  Schema.Struct({
    cut: Schema.Int,
    free: Schema.optionalKey(Schema.Array(Schema.String)),
    learning_curve: Schema.optionalKey(LearningCurve.MeasuredCurve)
  })
)

/** Why a student of closed fields leaves these to the fallback; empty for whole answers. */
const freeNotes = (free: ReadonlyArray<string>): ReadonlyArray<string> =>
  free.length === 0
    ? []
    : [
        `The student does not give ${free.map((name) => JSON.stringify(name)).join(", ")}: the values form no closed set, or copy ` +
          "numbers or positions from the request. A deployment asks its fallback for these fields, and this report does not compare them."
      ]

/** Notes about text that the training did not read, about free fields, and about what more rows would bring. */
const trainingNotes = ({ run }: StageContext): ReadonlyArray<string> =>
  Option.match(decodeTraining(run.stages.find(({ kind }) => kind === "sft")?.result), {
    onNone: () => [],
    onSome: ({ cut, free = [], learning_curve = [] }) => [
      ...freeNotes(free),
      ...(cut === 0
        ? []
        : [
            `${cut} ${cut === 1 ? "request" : "requests"} of the training were too long: what is in their middle is not read.`
          ]),
      ...LearningCurve.notesOf(learning_curve)
    ]
  })

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one evaluator, each short
const evaluator = Effect.fnUntraced(function* (
  rewards: Rewards["Service"],
  calls: CallStore["Service"],
  context: StageContext
) {
  const captured = yield* TeacherCalls.find(calls, context, CallConversation.endpoints)
  const callsPerMonth = yield* MonthlyCalls.count(calls, context)
  const ready = yield* rewardsOf(rewards, context)
  // Rehearsals have no answers, and ask nothing.
  const reviews = yield* Effect.cached(
    Effect.catch(Reviews.read(calls, context.partition, context.version), () =>
      failed("The storage did not answer", true)
    )
  )
  const judges = ready.filter(({ reward }) => reward.rule.kind === "llm_judge").length
  const turns = yield* Turns.make
  const items: Array<Item> = []
  const { meter, stage } = context
  // A new attempt asks its judges again, and pays them again.
  let judgeTokens = Math.max(0, stage.usage.judgeTokens - meter.start.judgeTokens)

  const reserve = ({ row: { row } }: Answer, usage: Usage) => {
    if (judges === 0) return Effect.void
    const read = row.messages.reduce((sum, message) => sum + tokensOf(message), 0)
    const more = 2 * judges * (2 * read + judgeOverheadTokens)
    return meter.reserve({ ...usage, judgeTokens: usage.judgeTokens + judgeTokens + more })
  }

  const score = Effect.fnUntraced(function* (answer: Answer, usage: Usage) {
    yield* reserve(answer, usage)
    const scores = yield* scoresOf(ready, answer)
    judgeTokens += scores.reduce((sum, { tokens }) => sum + tokens, 0)
    const spent = { ...usage, judgeTokens: usage.judgeTokens + judgeTokens }
    const broken = scores.find(({ failure }) => failure !== undefined)
    if (broken?.failure !== undefined) {
      return { usage: spent, failure: failed(`Reward ${broken.reward.id}: ${broken.failure.message}`, true) }
    }
    const item = itemOf(
      answer,
      scores.map(({ pair }) => pair),
      yield* (yield* reviews).find(answer.row.row),
      yield* turns.run(PromptDigest.reading(answer.row.row)),
      context
    )
    items.push(item)
    free = answer.free
    return { usage: spent, failure: null }
  })

  const raced: Array<RacedItem> = []
  /** The teacher's own answers, in the place of a student's, for a run without one. */
  const teachers: Array<Item> = []
  const candidateJudges = CandidateJudges.make(ready)

  const scoreCandidate = Effect.fnUntraced(function* ({
    candidate,
    completion,
    costMicros,
    latencyMillis,
    row
  }: CandidateAnswer) {
    const { completion: own } = exampleOf(row.row)
    if (candidate === 0) {
      const answer = Progress.Answer({ row, completion: own, latencyMillis: 0, confidence: null })
      teachers.push(itemOf(answer, [], undefined, undefined, context))
    }
    const scores = completion === null ? [] : yield* candidateJudges.scoreFree(row.row, completion)
    const agrees = completion !== null && (saysTheSame(own, completion) || givesTheSameLabel(own, completion))
    raced.push({
      candidate,
      isAnswered: completion !== null,
      agrees,
      latencyMillis,
      costMicros,
      scores,
      row,
      completion
    })
  })

  const judgeCandidates: Evaluator["judgeCandidates"] = (usage) => {
    const usageWith = (tokens: number): Usage => ({ ...usage, judgeTokens: usage.judgeTokens + judgeTokens + tokens })
    return candidateJudges
      .judge(raced, (more) => meter.reserve(usageWith(more)))
      .pipe(
        Stream.flatMap(({ failure, judgeTokens: taken }) => {
          judgeTokens += taken
          const spent = Stream.succeed<Progress>(Progress.Spend({ usage: usageWith(0) }))
          return failure === null ? spent : Stream.concat(spent, Stream.fail(failed(failure, true)))
        })
      )
  }

  const namesOf = (all: typeof ready) => all.map(({ reward: { id, name, rule } }) => ({ id, name, kind: rule.kind }))

  const race: Evaluator["race"] = (candidates, evaluation) => {
    const results = candidates.map((candidate, index) =>
      RaceRules.resultOf(
        candidate,
        raced.filter((item) => item.candidate === index),
        namesOf(ready)
      )
    )
    const about = evaluation ?? summary(teachers)
    return {
      candidates: results,
      cheapest: RaceRules.cheapest(results, {
        student: evaluation === null ? null : { name: String(context.run.recipe["student_model"]), evaluation },
        teacherCostPer1000Usd: about.cost_per_1000_calls_usd.teacher,
        teacherItself: about.teacher_itself?.value ?? null
      })
    }
  }

  const secondAnswers = new Map<string, Message>()
  let free: Answer["free"]
  const withSecond = (item: Item): Item => {
    const again = secondAnswers.get(item.row)
    return again === undefined ? item : { ...item, again: textAndCalls(partOf(again, free)) }
  }

  const summary = (items: ReadonlyArray<Item>) =>
    summarizeItems({
      items: items.map(withSecond),
      rewards: namesOf(ready),
      prices: context.run.prices,
      seed: seedOf(context.run.planHash),
      captured,
      callsPerMonth,
      isCalibrated: isBuiltin(String(context.run.recipe["student_model"])),
      notes: trainingNotes(context),
      runUsd: context.run.totals.costMicros / 1e6
    })

  const made: Evaluator = {
    ...DecidedRows.make(calls, context),
    score,
    scoreCandidate,
    judgeCandidates,
    repeat: ({ completion, row }) => {
      secondAnswers.set(row, toMessage(completion))
    },
    race,
    result: () => summary(items)
  }
  return made
})

/** Makes the evaluator of an attempt. */
export const make = Effect.gen(function* () {
  const rewards = yield* Rewards
  const calls = yield* CallStore
  return (context: StageContext) => evaluator(rewards, calls, context)
})
