/**
 * Measures how fast this machine trains builtin students: a small training of made-up rows, in a thread of its own as any
 * other is, timed by what it had of a processor. Once per process, when the first estimate asks for it. And counts what rows
 * are to them.
 */
import { rounded, StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as CensusTaker from "./CensusTaker.ts"
import type { Example } from "./Examples.ts"
import { generator } from "./Hashing.ts"
import * as Settings from "./Settings.ts"
import * as TrainingThread from "./TrainingThread.ts"

/** What the probe took on the machine whose figures the estimate has. */
const referenceSeconds = 0.095
/** Others at work slow a machine for moments: the best of so many trainings is what it can do. */
const attempts = 3
const size = { rows: 600, words: 30, vocabulary: 2_000, letters: 6, labels: 8, epochs: 5 }
/** Nobody waits longer for an estimate. */
const patience = "10 seconds"

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

/** Seconds of a processor that the training took. */
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

const speed = Effect.replicateEffect(measure, attempts).pipe(
  Effect.map((measured) => Math.min(...measured)),
  Effect.map((seconds) => (seconds > 0 ? rounded(referenceSeconds / seconds) : 1)),
  Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(1) }),
  Effect.catch(({ message }) => Effect.as(Effect.logWarning(`The speed of this machine is not known: ${message}`), 1))
)

export const layer: Layer.Layer<never> = Layer.effect(
  StudentProbe,
  // Whoever is the first to ask may go away: the measurement belongs to all.
  Effect.map(Effect.cached(Effect.uninterruptible(speed)), (once) => ({ speed: once, censusTaker: CensusTaker.make }))
)
