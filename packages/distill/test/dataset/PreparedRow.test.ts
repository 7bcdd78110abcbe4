/** Heavy rows are prepared in turns. */
import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Crypto from "@limbeck/node/Crypto"
import * as Effect from "effect/Effect"
import * as PreparedRow from "../../src/dataset/internal/PreparedRow.ts"
import { ReviewedRows } from "../../src/dataset/internal/ReviewedRows.ts"
import * as RowReader from "../../src/dataset/internal/RowReader.ts"

const rules: PreparedRow.Rules = {
  dedupe: "exact",
  holdoutFraction: 0.1,
  seed: 1,
  redact: ["email", "phone", "credit_card", "api_key"]
}

const rowOf = (...texts: ReadonlyArray<string>) =>
  JSON.stringify({ messages: texts.map((content) => ({ role: "user", content })), completion: "y" })

/** A message that is expensive to search. */
const heavy = (piece: string) => piece.repeat(999_000 / piece.length)

/** The results of the lines, and the number of pauses. */
const prepared = Effect.fnUntraced(function* (lines: ReadonlyArray<string | null>) {
  let pauses = 0
  const pause = Effect.sync(() => void pauses++)
  const rows = yield* Effect.provideService(
    PreparedRow.prepareAll(
      lines.map((text) => ({ text, origin: null })),
      rules,
      new ReviewedRows({ isEmpty: true, ofPrompt: () => undefined })
    ),
    Turns.Pause,
    pause
  )
  return { rows, pauses }
})

describe("rows", () => {
  it.effect(
    "that are heavy to redact, to fold or to read are prepared in turns, each of a bounded number of steps (P124)",
    () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [line: string, pausesMin: number]> = [
          // A pause for each 4,096 searched places.
          [rowOf(...Array.from({ length: 8 }, () => heavy("ab@c.de "))), (8 * 124_000) / 4_096],
          [rowOf(heavy("1 ")), 499_000 / 2_048],
          [rowOf(heavy("a.")), 499_000 / 4_096],
          // Each becomes 18 characters when it is folded: a pause after every 8,192.
          [rowOf(heavy("\ufdfa")), 999_000 / 8_192]
        ]
        for (const [line, pausesMin] of cases) {
          const { pauses, rows } = yield* prepared([line])
          assert.isNotNull(rows[0])
          assert.isAtLeast(pauses, Math.floor(pausesMin))
        }
      }).pipe(Effect.provide(Crypto.layer))
  )

  it.effect("that are none are passed over in turns (P124)", () =>
    Effect.gen(function* () {
      const { pauses, rows } = yield* prepared(Array.from({ length: 100_000 }, () => "x"))
      assert.isTrue(rows.length === 100_000 && rows.every((row) => row === null))
      assert.isAtLeast(pauses, 300)
    }).pipe(Effect.provide(Crypto.layer))
  )

  it("that are long are bounded in turns, before they are parsed (P124)", () => {
    const text = rowOf(...Array.from({ length: 8 }, () => "x".repeat(900_000)))
    let turns = 0
    for (const steps = RowReader.reading(text); !steps.next().done; ) turns++
    assert.isAtLeast(turns, Math.floor(text.length / Turns.turnCost))
  })
})
