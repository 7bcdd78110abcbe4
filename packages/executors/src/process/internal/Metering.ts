/**
 * Meters a trainer by the clock: every second of the machine is reserved before it begins. If the budget cannot hold
 * the next second, the trainer is stopped early enough to exit within the budget.
 */
import * as Budget from "@limbeck/distill/run/Budget"
import { budgetExceeded, overBudget, type StageContext, type StageFailure } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { ProcessLimits } from "./Limits.ts"

export interface TimedStart {
  /** When the trainer was started, in milliseconds, and what the stage had come to by then. */
  readonly startedAt: number
  readonly usage: Usage
}

/** The usage of a stage at a time. */
export const usageAt = ({ startedAt, usage }: TimedStart, at: number, judgeTokens: number): Usage => ({
  gpuSeconds: usage.gpuSeconds + Math.max(0, at - startedAt) / 1000,
  judgeTokens: usage.judgeTokens + judgeTokens
})

/** The bound of the search: a year of training. */
const horizonMillis = 366 * 86_400_000

/** The last millisecond that the budget pays for; infinite if it pays for any. */
export const endOfBudget = (
  { run, stage }: Pick<StageContext, "run" | "stage">,
  timed: TimedStart,
  judgeTokens: number
) => {
  const holds = (millis: number) => Budget.holds(run, stage.seq, usageAt(timed, timed.startedAt + millis, judgeTokens))
  if (holds(horizonMillis)) return Number.POSITIVE_INFINITY
  let paid = 0
  let unpaid = horizonMillis
  if (!holds(paid)) return timed.startedAt
  while (unpaid - paid > 1) {
    const middle = Math.floor((paid + unpaid) / 2)
    if (holds(middle)) paid = middle
    else unpaid = middle
  }
  return timed.startedAt + paid
}

export interface Metering {
  /** Asks for the time that begins now; returns after how many milliseconds to ask again. */
  readonly pay: Effect.Effect<number, StageFailure>
  /** Asks for what judges take up to so many tokens, since the stage's beginning. */
  readonly buy: (judgeTokens: number) => Effect.Effect<void, StageFailure>
  /** Reserves repeatedly until a refusal, and returns its reason. */
  readonly payUntilRefused: Effect.Effect<StageFailure>
  /** The remaining time of a trainer after a refusal. */
  readonly graceMillis: Effect.Effect<number>
  /** The usage so far, never above the reservation. */
  readonly usage: Effect.Effect<Usage>
  /** Stops the clock, because the trainer has exited. */
  readonly end: Effect.Effect<void>
}

export const make = (
  context: Pick<StageContext, "run" | "stage" | "meter">,
  timed: TimedStart,
  judgeTokens: () => number
): Metering => {
  const { startedAt } = timed
  let paidUntil = startedAt
  let bought = 0
  let endedAt = Number.POSITIVE_INFINITY
  const of = (at: number) => usageAt(timed, at, judgeTokens())
  const boughtBy = (at: number): Usage => ({ ...of(at), judgeTokens: Math.max(of(at).judgeTokens, bought) })

  const pay = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const end = endOfBudget(context, timed, Math.max(judgeTokens(), bought - timed.usage.judgeTokens))
    const until = Math.min(now + ProcessLimits.quantumMillis + ProcessLimits.budgetGraceMillis, end)
    if (until > paidUntil) {
      yield* context.meter.reserve(boughtBy(until))
      paidUntil = until
    }
    // Keeps the end of the budget for the trainer's last checkpoint; of a small budget, a quarter.
    const left = end - Math.min(ProcessLimits.budgetGraceMillis, (end - startedAt) / 4) - now
    return left > 0 ? Math.min(left, ProcessLimits.quantumMillis / 2) : yield* overBudget
  })

  const paidMillis = Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, paidUntil - now))

  /** While the storage does not answer, what is paid for already may still be used. */
  const payPatiently = Effect.retry(pay, {
    while: ({ code }) =>
      code === budgetExceeded
        ? Effect.succeed(false)
        : Effect.map(paidMillis, (millis) => millis > ProcessLimits.budgetGraceMillis),
    schedule: Schedule.spaced(ProcessLimits.pollMillis)
  })

  return {
    pay,
    buy: Effect.fnUntraced(function* (tokens: number) {
      const until = Math.max(paidUntil, yield* Clock.currentTimeMillis)
      yield* context.meter.reserve({ ...of(until), judgeTokens: Math.max(of(until).judgeTokens, tokens) })
      bought = Math.max(bought, tokens)
    }),
    payUntilRefused: Effect.flip(Effect.forever(Effect.flatMap(payPatiently, (millis) => Effect.sleep(millis)))),
    // Half of the reserved time, because the kill takes time too.
    graceMillis: Effect.map(paidMillis, (millis) => Math.min(ProcessLimits.budgetGraceMillis, millis / 2)),
    usage: Effect.map(Clock.currentTimeMillis, (now) => of(Math.min(now, endedAt, paidUntil))),
    end: Effect.map(Clock.currentTimeMillis, (now) => {
      endedAt = Math.min(endedAt, now)
    })
  }
}
