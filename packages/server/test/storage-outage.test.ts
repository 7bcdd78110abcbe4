import { assert, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as StorageOutage from "../src/http/internal/StorageOutage.ts"

const id = "req_00000000000000000000000000"
const error = new StorageError({ operation: "Test", cause: new Error("gone") })

it.effect(
  "an outage is logged once in ten seconds, with how many requests it refused, and at once when it begins again",
  () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ fiber }) => {
      logged.push(fiber.getRef(References.CurrentLogAnnotations)["refused_since"])
    })
    return Effect.gen(function* () {
      const report = StorageOutage.make()
      for (let second = 0; second < 25; second++) {
        yield* Effect.repeat(report(error, id), { times: 9 })
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(logged, [1, 100, 100])
    }).pipe(Effect.provide(Logger.layer([logger])))
  }
)
