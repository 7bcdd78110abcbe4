/** The effect of this machine's speed on an estimate. Durations are measured by `npm run bench -- estimates`. */
import { assert, describe, it } from "@effect/vitest"
import { layerUnmeasured, roundSpeed, StudentProbe } from "@limbeck/distill/recipe/StudentProbe"
import * as Effect from "effect/Effect"
import * as Probe from "../../src/builtin/Probe.ts"

describe("the speed of a machine", () => {
  it.live("is measured in steps", () =>
    Effect.gen(function* () {
      const speed = yield* Probe.measureSpeed
      assert.strictEqual(roundSpeed(speed), speed)
    })
  )

  it.effect("is 1 where nobody measures", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* (yield* StudentProbe).speed, 1)
    }).pipe(Effect.provide(layerUnmeasured))
  )

  it("is taken in steps of a fifth, within bounds, and twice the same", () => {
    for (const [measured, expected] of [
      [1, 1],
      [1.08, 1],
      [1.1, 1.19],
      [0.9, 0.841],
      [2.05, 2],
      [1_000, 16],
      [0, 0.0625]
    ] as const) {
      assert.strictEqual(roundSpeed(measured), expected)
    }
    for (let speed = 0.1; speed < 10; speed *= 1.01) {
      const once = roundSpeed(speed)
      assert.strictEqual(roundSpeed(once), once)
      assert.isBelow(Math.abs(Math.log2(once / speed)), 0.14)
    }
  })
})
