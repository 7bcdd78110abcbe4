/**
 * The answers of an evaluation so far, as contents named by its checkpoint: a new attempt skips their rows. Each content
 * holds a stretch of answers as JSON Lines. Two neighbours of one size are merged, so that a checkpoint names few contents
 * for any number of answers, and each answer is written only a few times.
 */
import type { StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const State = Schema.Struct({ answers: Schema.Array(Schema.Struct({ sha256: Schema.String, rows: Schema.Int })) })
const decodeState = Schema.decodeUnknownOption(State)

interface AnswerJournal<A> {
  /** Of earlier attempts. */
  readonly kept: ReadonlyArray<A>
  /** Whether an earlier attempt has left a checkpoint. */
  readonly isResumed: boolean
  /** The state of a checkpoint with the kept answers. */
  readonly state: typeof State.Type
  /** Returns the state of a checkpoint that holds these too. */
  readonly add: (answers: ReadonlyArray<A>) => Effect.Effect<typeof State.Type, StageFailure>
}

const utf8 = new TextEncoder()

/** Opens what the stage's checkpoint names. */
export const open = Effect.fnUntraced(function* <A>({ blobs, stage }: StageContext, schema: Schema.Codec<A, unknown>) {
  const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  const found = decodeState(stage.checkpoint?.state)
  const state = Option.getOrElse(found, (): typeof State.Type => ({ answers: [] }))
  const all: Array<A> = []
  let parts = [...state.answers]

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

  const add = Effect.fnUntraced(function* (answers: ReadonlyArray<A>) {
    all.push(...answers)
    let rows = answers.length
    let before = parts.length
    while (before > 0 && (parts[before - 1]?.rows ?? 0) <= rows) rows += parts[--before]?.rows ?? 0
    const text = all.slice(all.length - rows).map((answer) => `${JSON.stringify(answer)}\n`)
    const { sha256 } = yield* blobs.put(Stream.make(utf8.encode(text.join(""))))
    parts = [...parts.slice(0, before), { sha256, rows }]
    return { answers: parts }
  })

  const journal: AnswerJournal<A> = { kept: [...all], isResumed: Option.isSome(found), state, add }
  return journal
})
