/** Asks a student for the answers to rows: several at a time, with retries, each reserved before the request. */
import { exampleOf, type Message, tokensOf } from "@limbeck/distill/dataset/RowText"
import { DistillLimits } from "@limbeck/distill/Limits"
import { type StageContext, StageFailure, type StageRow } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import { costOf } from "@limbeck/distill/student/Endpoint"
import type { EndpointFailure, EndpointReply, ExternalProbe } from "@limbeck/distill/student/ExternalStudents"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { KeptAnswer } from "./KeptAnswer.ts"

/** `refusal`: the endpoint refuses this request, and so its answer is empty. */
interface QuestionAnswer {
  readonly answer: KeptAnswer
  readonly refusal: string | null
}

export interface Questions {
  readonly ask: (row: StageRow) => Effect.Effect<QuestionAnswer, StageFailure>
  /** The usage of all answers, earlier attempts included. */
  readonly usage: () => Usage
}

const failed = ({ message, reason }: EndpointFailure) =>
  new StageFailure({
    code: reason === "endpoint" ? "student_refused" : "student_unavailable",
    message: `The student's endpoint ${message}`,
    retryable: reason !== "endpoint"
  })

/** Allows four times the teacher's length: a longer answer is a different answer. */
const answerTokensOf = (completion: Message): number =>
  Math.max(DistillLimits.studentAnswerTokens, 4 * tokensOf(completion))

const promptTokensOf = (prompt: ReadonlyArray<Message>): number =>
  prompt.reduce((sum, message) => sum + tokensOf(message), 0)

const roleOf = (message: EndpointReply["message"]): Message => ({ ...message, role: "assistant" })

const refused = (key: string, latencyMillis: number): KeptAnswer => ({
  key,
  completion: { role: "assistant", content: "" },
  latencyMillis,
  confidence: null,
  costMicros: null
})

export const make = ({ meter }: StageContext, student: ExternalProbe): Questions => {
  const { prices } = student
  let spent = meter.start.studentMicros ?? 0
  let pending = 0
  const usageOf = (studentMicros: number): Usage => ({ gpuSeconds: 0, judgeTokens: 0, studentMicros })

  const retried = <A>(asking: Effect.Effect<A, EndpointFailure>) =>
    Effect.retry(asking, {
      while: ({ reason }) => reason === "transient",
      times: DistillLimits.studentTriesMax - 1,
      schedule: Schedule.exponential(DistillLimits.studentBackoffMillis)
    })

  /** Twice the estimate of four bytes per token, for other tokenizers. */
  const boundOf = (prompt: ReadonlyArray<Message>, maxTokens: number): number =>
    costOf(prices, { prompt: 2 * promptTokensOf(prompt), completion: maxTokens }) ?? 0

  const replyTo = Effect.fnUntraced(function* (key: string, prompt: ReadonlyArray<Message>, maxTokens: number) {
    const startedAt = yield* Clock.currentTimeMillis
    const latency = Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - startedAt))
    const reply = yield* Effect.result(student.ask(prompt, maxTokens))
    const latencyMillis = yield* latency
    if (reply._tag === "Failure") {
      const { failure } = reply
      if (failure.reason !== "request") return yield* failure
      const asked: QuestionAnswer = { answer: refused(key, latencyMillis), refusal: failure.message }
      return asked
    }
    const { completionTokens, confidence, message, promptTokens } = reply.success
    const completion = roleOf(message)
    const costMicros = costOf(prices, {
      prompt: promptTokens ?? promptTokensOf(prompt),
      completion: completionTokens ?? tokensOf(completion)
    })
    spent += costMicros ?? 0
    const told = confidence === null ? {} : { confidenceFrom: confidence.from }
    const answer: KeptAnswer = {
      key,
      completion,
      latencyMillis,
      confidence: confidence?.value ?? null,
      ...told,
      costMicros
    }
    const asked: QuestionAnswer = { answer, refusal: null }
    return asked
  })

  const ask = Effect.fnUntraced(function* ({ key, row }: StageRow) {
    const { completion, prompt } = exampleOf(row)
    const maxTokens = answerTokensOf(completion)
    const bound = boundOf(prompt, maxTokens)
    pending += bound
    const asking = Effect.andThen(
      bound === 0 ? Effect.void : meter.reserve(usageOf(spent + pending)),
      Effect.mapError(retried(replyTo(key, prompt, maxTokens)), failed)
    )
    return yield* Effect.ensuring(
      asking,
      Effect.sync(() => {
        pending -= bound
      })
    )
  })

  return { ask, usage: () => usageOf(spent) }
}
