/** Rewards on memory storage, with a judge and a scorer that answer what a test tells them to. */

import { ChatCompletions, ChatFailure, type ChatReply, type ChatRequest } from "@limbeck/capture/source/ChatCompletions"
import type { Completion, ScoringRow } from "@limbeck/distill/reward/Completion"
import { HttpScorer, type ScorerAnswer, type ScorerRequest } from "@limbeck/distill/reward/HttpScorer"
import type { Rule } from "@limbeck/distill/reward/Reward"
import * as Rewards from "@limbeck/distill/reward/Rewards"
import * as Crypto from "@limbeck/node/Crypto"
import * as CheckingThread from "@limbeck/node/reward/CheckingThread"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as World from "@limbeck/testing/World"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class Script extends Context.Service<
  Script,
  {
    judge: (request: ChatRequest) => Effect.Effect<ChatReply, ChatFailure>
    scorer: (request: ScorerRequest) => ScorerAnswer
    readonly asked: Array<ChatRequest>
    readonly posted: Array<ScorerRequest>
  }
>()("test/RewardScript") {}

export const said = (text: string): ChatReply => ({ text, usage: { promptTokens: 100, completionTokens: 7 } })

export const answered = (body: string, statusCode = 200): ScorerAnswer => ({
  statusCode,
  body,
  durationMillis: 3,
  error: null
})

export const noAnswer = (error: string): ScorerAnswer => ({ statusCode: null, body: "", durationMillis: 3, error })

export const judgeFails = (reason: ChatFailure["reason"]) =>
  Effect.fail(new ChatFailure({ reason, message: `It is ${reason}` }))

/** The one source that there is. */
export const source = "openai"

const models = Layer.effect(
  ChatCompletions,
  Effect.map(Script, (script) =>
    ChatCompletions.of({
      hasSource: (_, name) => Effect.succeed(name === source),
      complete: (_, request) => {
        script.asked.push(request)
        return script.judge(request)
      }
    })
  )
)

const scorer = Layer.effect(
  HttpScorer,
  Effect.map(Script, (script) =>
    HttpScorer.of({
      policy: { allowed: [] },
      post: (request) => {
        script.posted.push(request)
        return Effect.succeed(script.scorer(request))
      }
    })
  )
)

/** A fresh world for each test. */
export const world = Rewards.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(StorageMemory.layer, World.services, CheckingThread.layer, models, scorer)),
  Layer.provideMerge(
    Layer.sync(Script, () => ({
      judge: () => Effect.succeed(said('{"score": 3}')),
      scorer: () => answered('{"score": 0.5}'),
      asked: [],
      posted: []
    }))
  ),
  Layer.provideMerge(Crypto.layer)
)

export const { live, test, stranger } = World

export const create = (rule: Rule, partition = live) =>
  Effect.flatMap(Rewards.Rewards, (rewards) => rewards.create(partition, { name: "mine", rule }))

export const rowOf = (question: string, completion?: string): ScoringRow => ({
  messages: [{ role: "user", content: question }],
  ...(completion === undefined ? {} : { completion })
})

export const score = (id: string, row: ScoringRow, completion: Completion, partition = live) =>
  Effect.flatMap(Rewards.Rewards, (rewards) => rewards.score(partition, id, { row, completion }))

export const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => error, onSuccess: () => undefined })

export const judgeRule = (
  config: { readonly source?: string; readonly min?: number; readonly max?: number } = {}
): Rule => ({
  kind: "llm_judge",
  config: {
    rubric: "Is it polite?",
    model: "gpt",
    scale: { min: config.min ?? 1, max: config.max ?? 5 },
    ...(config.source === undefined ? {} : { source: config.source })
  }
})
