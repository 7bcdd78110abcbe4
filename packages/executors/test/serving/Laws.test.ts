import { assert, describe, it } from "@effect/vitest"
import * as CommandLine from "../../src/serving/internal/CommandLine.ts"
import { ServingProcessLimits } from "../../src/serving/internal/Limits.ts"
import * as RestartSchedule from "../../src/serving/internal/RestartSchedule.ts"

const values = {
  artifact: "/data/a b",
  base: "/models/b",
  port: "4711",
  host: "127.0.0.1",
  model: "stu_1",
  api_key: "secret"
}

describe("a serving command", () => {
  it("is split into words at white space, as quotes group it, and no shell sees it", () => {
    assert.deepStrictEqual(CommandLine.words(`  a "b c" 'd  "e"' f'g h'i  $(j)\n`), [
      "a",
      "b c",
      'd  "e"',
      "fg hi",
      "$(j)"
    ])
  })

  it("has its placeholders filled word by word, so that a value is never two words", () => {
    const command = "serve -m {artifact} --url=http://{host}:{port}/ --alias '{model}' {other} {}"
    assert.deepStrictEqual(CommandLine.fillCommand(command, values), [
      "serve",
      "-m",
      "/data/a b",
      "--url=http://127.0.0.1:4711/",
      "--alias",
      "stu_1",
      "{other}",
      "{}"
    ])
  })
})

describe("a serving process that ends", () => {
  it("is started again within ten seconds, however often it has ended (P312)", () => {
    const waits = Array.from({ length: 100 }, (_, index) => RestartSchedule.waitAfter(index + 1))
    assert.deepStrictEqual(
      waits,
      waits.toSorted((a, b) => a - b)
    )
    assert.isAtLeast(Math.min(...waits), 100)
    // A hanging process is detected and stopped before its restart.
    const { refusalsMax, stopMillis, watchMillis } = ServingProcessLimits
    assert.isAtMost(Math.max(...waits), 10_000 - stopMillis - 1_000)
    assert.isAtMost(refusalsMax * watchMillis + stopMillis, 10_000)
  })
})
