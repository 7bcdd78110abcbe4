/**
 * The answers of an evaluation so far, as contents named by its checkpoint: a new attempt skips their rows. Each content
 * holds a stretch of answers as JSON Lines. Two neighbours of one size are merged, so that a checkpoint names few contents
 * for any number of answers, and each answer is written only a few times.
 */
import { Message } from "@limbeck/distill/dataset/Row"
import type { StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const State = Schema.Struct({ answers: Schema.Array(Schema.Struct({ sha256: Schema.String, rows: Schema.Int })) })
const decodeState = Schema.decodeUnknownOption(State)

const KeptAnswer = Schema.Struct({
  /** Of its row. */
  key: Schema.String,
  completion: Message,
  latencyMillis: Schema.Finite,
  confidence: Schema.NullOr(Schema.Finite),
  /** Absent without a confidence, and in answers of before it was kept. */
  confidenceFrom: Schema.optionalKey(Schema.Literals(["service", "tokens"])),
  /** Null where the student has no price. */
  costMicros: Schema.NullOr(Schema.Finite)
})
export type KeptAnswer = typeof KeptAnswer.Type
const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(KeptAnswer))

interface AnswerJournal {
  /** Answers kept by earlier attempts, by row key. */
  readonly kept: ReadonlyMap<string, KeptAnswer>
  /** Returns the state of a checkpoint that holds these too. */
  readonly add: (answers: ReadonlyArray<KeptAnswer>) => Effect.Effect<typeof State.Type, StageFailure>
}

const utf8 = new TextEncoder()

/** Opens what the stage's checkpoint names. */
export const open = Effect.fnUntraced(function* ({ blobs, stage }: StageContext) {
  const { answers: found } = Option.getOrElse(decodeState(stage.checkpoint?.state), () => ({ answers: [] }))
  const all: Array<KeptAnswer> = []
  let parts = [...found]

  for (const { sha256 } of parts) {
    yield* blobs.get(sha256).pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.filter((line) => line !== ""),
      // We wrote it ourselves.
      Stream.runForEach((line) =>
        Effect.map(Effect.orDie(decodeAnswer(line)), (answer) => {
          all.push(answer)
        })
      )
    )
  }
  const kept = new Map(all.map((answer) => [answer.key, answer]))

  const add = Effect.fnUntraced(function* (answers: ReadonlyArray<KeptAnswer>) {
    all.push(...answers)
    let rows = answers.length
    let before = parts.length
    while (before > 0 && (parts[before - 1]?.rows ?? 0) <= rows) rows += parts[--before]?.rows ?? 0
    const text = all.slice(all.length - rows).map((answer) => `${JSON.stringify(answer)}\n`)
    const { sha256 } = yield* blobs.put(Stream.make(utf8.encode(text.join(""))))
    parts = [...parts.slice(0, before), { sha256, rows }]
    return { answers: parts }
  })

  const journal: AnswerJournal = { kept, add }
  return journal
})
