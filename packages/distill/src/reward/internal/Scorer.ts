/** Builds a scorer from a reward's rule. Compiles patterns and schemas once for many rows. */

import type { QuotaExceeded } from "@limbeck/billing/Errors"
import type { ChatCompletions, ChatFailure, ChatReply } from "@limbeck/capture/source/ChatCompletions"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import { Mac } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Message, textOf } from "../../dataset/RowText.ts"
import { DistillLimits } from "../../Limits.ts"
import { type Completion, referenceOf, type ScoringRow, toMessage } from "../Completion.ts"
import type { HttpScorer } from "../HttpScorer.ts"
import type { SchemaVerdict, Validator } from "../JsonSchemas.ts"
import type { Matcher } from "../Patterns.ts"
import type { JudgeConfig, Reward, RuleOf } from "../Reward.ts"
import * as HttpScoring from "./HttpScoring.ts"
import * as Judge from "./Judge.ts"
import type { Compilers } from "./RewardRules.ts"
import { makeFailure, type RewardScore, verdict } from "./RewardScore.ts"
import { contains, exactMatch, numeric } from "./TextScorers.ts"

/** Scores one completion of one row; the result may be an error. A charged judge needs a balance. */
export type Score<E = never> = (row: ScoringRow, completion: Completion) => Effect.Effect<RewardScore, E>

export interface Tools extends Compilers {
  readonly models: ChatCompletions["Service"]
  readonly http: HttpScorer["Service"]
  readonly mac: Mac["Service"]
  /** Begins the names of our headers. */
  readonly brand: string
  /** Whether judges' calls are charged; otherwise the run pays. */
  readonly isCharged: boolean
}

const tooCostly = (what: string) => makeFailure("too_costly", `${what} took longer than allowed on this completion`)

const noReference = makeFailure("no_reference", "The row holds no completion to compare with")

/** For kinds that compare two messages. */
const comparing =
  (compare: (reference: Message, completion: Message) => RewardScore): Score =>
  (row, completion) => {
    const { reference } = referenceOf(row)
    return Effect.succeed(reference === undefined ? noReference : compare(reference, toMessage(completion)))
  }

const containing = ({ config: { value } }: RuleOf<"contains">): Score =>
  value === undefined
    ? comparing((reference, completion) => contains(textOf(reference), completion))
    : (_, completion) => Effect.succeed(contains(value, toMessage(completion)))

const matching =
  (find: Matcher): Score =>
  (_, completion) =>
    Effect.map(find(textOf(toMessage(completion))), (found) => {
      if (found === "too_costly") return tooCostly("The pattern")
      return verdict(found === "found", "The pattern is in the completion", "The pattern is not in the completion")
    })

const shown = (checked: SchemaVerdict): RewardScore => {
  if (checked._tag === "TooCostly") return tooCostly("The schema")
  const fault = checked._tag === "Invalid" ? checked.fault : ""
  return verdict(checked._tag === "Valid", "The completion is valid by the schema", `Not valid by the schema: ${fault}`)
}

const validating =
  (validate: Validator): Score =>
  (_, completion) =>
    Effect.suspend(() => {
      let value: Schema.Json
      try {
        value = JSON.parse(textOf(toMessage(completion)))
      } catch {
        return Effect.succeed(verdict(false, "", "The completion is not JSON"))
      }
      return Effect.map(validate(value), shown)
    })

/** Compiled when the reward was made, by an engine that may have become stricter since. */
const compiled =
  <A>(compiling: Effect.Effect<Result.Result<A, string>>, score: (compiled: A) => Score): Score =>
  (row, completion) =>
    Effect.flatMap(
      compiling,
      Result.match({
        onSuccess: (made) => score(made)(row, completion),
        onFailure: (fault) => Effect.succeed(makeFailure("too_costly", `It does not compile any more: ${fault}`))
      })
    )

/** A failed call leaves no score; the cost of the other one still counts. */
const judge = (
  scale: JudgeConfig["scale"],
  results: ReadonlyArray<Result.Result<ChatReply, ChatFailure | QuotaExceeded>>
): Effect.Effect<RewardScore, QuotaExceeded> => {
  const answers = results.filter(Result.isSuccess).map(({ success }) => success)
  const failure = results.find(Result.isFailure)?.failure
  if (failure === undefined) return Effect.succeed(Judge.scoreOf(scale, answers))
  if (failure._tag === "QuotaExceeded") return Effect.fail(failure)
  const tokens = Judge.tokensOf(answers)
  const error = failure.reason === "no_source" ? "no_source" : "judge_failed"
  return Effect.succeed(makeFailure(error, failure.message, { tokens }, tokens))
}

const judging =
  ({ isCharged, models }: Tools, partition: Partition, config: JudgeConfig): Score<QuotaExceeded> =>
  (row, completion) =>
    Effect.forEach(
      Judge.requestsOf(config, referenceOf(row), toMessage(completion), isCharged),
      (request) => Effect.result(models.complete(partition, request)),
      // Both orders concurrently: a score takes as long as one call.
      { concurrency: 2 }
    ).pipe(
      Effect.flatMap((results) => judge(config.scale, results)),
      Effect.timeoutOption(DistillLimits.judgeMillis),
      Effect.map(Option.getOrElse(() => makeFailure("judge_failed", "The judge took too long")))
    )

const asking =
  (tools: Tools, partition: Partition, reward: Reward, url: string, secret: string): Score =>
  (row, completion) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { livemode } = partition
      const { brand, http } = tools
      const asked = { brand, reward: reward.id, url, livemode, secret, row, completion, now }
      return HttpScoring.scoreOf(yield* http.post(yield* HttpScoring.requestOf(asked)))
    }).pipe(Effect.provideService(Mac, tools.mac))

/** `secret`: the opened one of an `http` reward. */
export const make = (tools: Tools, partition: Partition, reward: Reward, secret: string): Score<QuotaExceeded> => {
  const { rule } = reward
  switch (rule.kind) {
    case "exact_match":
      return comparing(exactMatch)
    case "contains":
      return containing(rule)
    case "numeric":
      return comparing((reference, completion) => numeric(rule.config.tolerance, reference, completion))
    case "regex":
      return compiled(tools.patterns.compile(rule.config.pattern), matching)
    case "json_schema":
      return compiled(tools.schemas.compile(rule.config.schema), validating)
    case "llm_judge":
      return judging(tools, partition, rule.config)
    case "http":
      return asking(tools, partition, reward, rule.config.url, secret)
  }
}
