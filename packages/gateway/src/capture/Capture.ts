/**
 * Writes down a call as it passes. The answer goes on as it comes; its end waits until the record is kept, so that who has the
 * whole answer finds the call. Of headers nothing is kept but the answer's type and encoding.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CallError } from "../proxy/Forward.ts"
import type { UpstreamFailure } from "../upstream/Upstream.ts"
import type { Outcome } from "./CapturedCall.ts"
import { Recorder } from "./Recorder.ts"
import * as Sampling from "./Sampling.ts"
import { type Answered, type CallFacts, type Served, Tape } from "./Tape.ts"

export interface Capture {
  /**
   * The same answer, which is written down as it passes. `served`: who is believed to answer, for when nobody does; who asks
   * says so when it knows better.
   */
  readonly around: (
    facts: CallFacts,
    served: Served,
    ask: (believe: (served: Served) => void) => Effect.Effect<Answered, CallError, Scope.Scope>
  ) => Effect.Effect<Answered, CallError, Scope.Scope>
}

/** Who answers without a source is kept as a source is that says nothing of it. */
const settingsOf = ({ source }: Served) =>
  source?.capture ?? { enabled: true, sample_rate: 1, durability: "journal" as const }

/** What the client is told of a failure of whom it asked; undefined: nobody was asked, and there is nothing to capture. */
const statusOf = (error: CallError): number | undefined => {
  switch (error._tag) {
    case "TeacherUnavailable":
      return error.status
    case "UpstreamTimeout":
      return 504
    case "UpstreamUnreachable":
      return 502
    case "CatalogUnavailable":
      return 503
    default:
      return undefined
  }
}

export const make = Effect.gen(function* () {
  const recorder = yield* Recorder
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()

  /** Ends a tape once, with a record or, where nothing was asked, with none; later endings are none. */
  const settling = (facts: CallFacts, tape: Tape) => {
    let isSettled = false
    return (outcome: Outcome | null, status?: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (isSettled) return Effect.void
        isSettled = true
        const settings = settingsOf(tape.served)
        if (outcome === null || !Sampling.isKept(settings, facts.id)) return Effect.void
        return recorder.record(tape.record(outcome, now(), status), settings.durability)
      })
  }

  type Settle = ReturnType<typeof settling>

  const tapped = (body: Answered["body"], tape: Tape, settle: Settle): Answered["body"] =>
    Stream.transformPull(body, (pull) => {
      let isWhole = false
      return Effect.succeed(
        Effect.matchCauseEffect(pull, {
          onSuccess: (chunks) => {
            if (isWhole) return Effect.succeed(chunks)
            isWhole = tape.add(chunks, now())
            return isWhole ? Effect.as(settle("succeeded"), chunks) : Effect.succeed(chunks)
          },
          onFailure: (cause: Cause.Cause<UpstreamFailure | Cause.Done>) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
            return Effect.andThen(settle(Pull.isDoneCause(cause) ? "succeeded" : "failed"), Effect.failCause(cause))
          }
        })
      )
    })

  const around = Effect.fnUntraced(function* (
    facts: CallFacts,
    served: Served,
    ask: (believe: (served: Served) => void) => Effect.Effect<Answered, CallError, Scope.Scope>
  ) {
    const tape = new Tape(facts, served, now())
    const settle = settling(facts, tape)
    // Nobody ended it: the client has left. (`Effect.addFinalizer` would copy every service that there is.)
    yield* Scope.addFinalizer(yield* Effect.scope, settle("aborted"))
    const asking = ask((believed) => tape.believe(believed))
    const answer = yield* Effect.tapError(asking, (error) => {
      const status = statusOf(error)
      return settle(status === undefined ? null : "failed", status)
    })
    const isBodyless = tape.begin(answer)
    if (answer.whole !== undefined) tape.add([answer.whole], now())
    if (!isBodyless && answer.whole === undefined) return { ...answer, body: tapped(answer.body, tape, settle) }
    yield* settle("succeeded")
    return answer
  })

  const capture: Capture = { around }
  return capture
})
