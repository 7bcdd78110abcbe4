import { assert, describe, it } from "@effect/vitest"
import type { StageContext, StageRow } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sample } from "../src/internal/HoldoutSample.ts"

const row: StageRow = {
  key: "key",
  row: { messages: [{ role: "user", content: "hi" }], completion: { role: "assistant", content: "yes" } }
}

/** The members that the choice of rows reads. */
const contextOf = (holdoutRows: number, config: object) =>
  ({
    rows: () => Stream.fromIterable(Array.from({ length: holdoutRows }, () => row)),
    stage: { config },
    version: { holdoutRows, seed: 7 }
  }) as unknown as StageContext

describe("the rows of an evaluation", () => {
  it.effect.each([
    { holdout: 700, config: {}, asked: 700 },
    { holdout: 700, config: { sample: 50 }, asked: 50 },
    { holdout: 700, config: { sample: 5_000 }, asked: 700 },
    { holdout: 10_100, config: {}, asked: 10_000 }
  ])("are $asked of $holdout with $config (P1526)", ({ asked, config, holdout }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Stream.runCount(sample(contextOf(holdout, config))), asked)
    })
  )
})
