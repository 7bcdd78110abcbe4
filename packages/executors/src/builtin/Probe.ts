/**
 * Measures how fast this machine trains builtin students, by the processor time of a small training of synthetic rows
 * in its own thread. The probe runs in the background after the first version is built or the first estimate is
 * requested, once a day at most, and keeps its result for the next start. Requests never wait for the probe, and
 * servers that only proxy or deliver never run it. Also takes the census of versions, and examines
 * their rows for wrong answers.
 */
import type { Ids } from "@limbeck/core/ids/Ids"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { roundSpeed, StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as CensusTaker from "./CensusTaker.ts"
import { examine } from "./Examiner.ts"
import type { Example } from "./internal/Examples.ts"
import { generator } from "./internal/Hashing.ts"
import * as KeptSpeed from "./KeptSpeed.ts"
import * as Settings from "./Settings.ts"
import * as TrainingThread from "./TrainingThread.ts"

/** The duration of the probe on the reference machine of the estimates. */
const referenceSeconds = 0.095
/** Other work slows a machine for moments, so the fastest of several trainings counts. */
const attempts = 3
const size = { rows: 600, words: 30, vocabulary: 2_000, letters: 6, labels: 8, epochs: 5 }
/** A slower machine is too busy for a measurement. */
const patience = "1 minute"
/** A result of this age is still valid. */
const freshMillis = 24 * 3_600_000

const examples = (): ReadonlyArray<Example> => {
  const next = generator(7)
  const below = (count: number): number => Math.floor((next() / 2 ** 32) * count)
  const letter = () => String.fromCharCode(97 + below(26))
  const word = () => Array.from({ length: size.letters }, letter).join("")
  const words = Array.from({ length: size.vocabulary }, word)
  const text = () => Array.from({ length: size.words }, () => words[below(size.vocabulary)]).join(" ")
  return Array.from({ length: size.rows }, (_, row) => ({
    turns: [{ role: "user", text: text() }],
    label: `label ${row % size.labels}`
  }))
}

/** Processor seconds of the training. */
export const measure: Effect.Effect<number, TrainingThread.ThreadLost> = Effect.suspend(() =>
  TrainingThread.train({
    plan: {
      settings: { ...Settings.defaults, epochs: size.epochs },
      checkpoint: null,
      spentSeconds: 0,
      quantumSeconds: 60,
      checkpointSeconds: 60
    },
    examples: Stream.fromIterable(examples()),
    grant: () => Effect.succeed(true)
  }).pipe(
    Stream.runFold(
      () => 0,
      (seconds, said) => (said.type === "ended" ? said.seconds : seconds)
    )
  )
)

/** Against the machine whose figures the estimate has. */
export const measureSpeed = Effect.replicateEffect(measure, attempts).pipe(
  Effect.map((measured) => Math.min(...measured)),
  Effect.map((seconds) => (seconds > 0 ? roundSpeed(referenceSeconds / seconds) : 1))
)

const make = Effect.gen(function* () {
  const kept = yield* KeptSpeed.make
  const found = yield* Effect.catch(kept.find, () => Effect.succeedNone)
  let speed = Option.match(found, { onNone: () => 1, onSome: (last) => last.speed })
  const wanted = yield* Deferred.make<void>()
  const want = () => Deferred.doneUnsafe(wanted, Effect.void)
  const measureOnce = Effect.gen(function* () {
    yield* Deferred.await(wanted)
    const now = yield* Clock.currentTimeMillis
    if (Option.isSome(found) && Math.abs(now - found.value.measuredAt) < freshMillis) return
    speed = yield* Effect.timeout(measureSpeed, patience)
    yield* Effect.ignore(kept.keep(speed))
  })
  const said = Effect.catch(measureOnce, ({ message }) =>
    Effect.annotateLogs(Effect.logWarning("machine_speed_not_measured"), { reason: message })
  )
  yield* Effect.forkScoped(said)
  return {
    speed: Effect.sync(() => {
      want()
      return speed
    }),
    censusTaker: () => {
      want()
      return CensusTaker.make()
    },
    examine
  }
})

export const layer: Layer.Layer<StudentProbe, never, ResourceStore | Ids> = Layer.effect(StudentProbe, make)
