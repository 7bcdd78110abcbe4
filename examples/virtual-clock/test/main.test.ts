import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { isRight, type Outcome } from "../src/sixAttempts.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const run = promisify(execFile)

describe("virtual-clock", () => {
  it("prints the six attempts at the times that they are due, and exits 0 (P18)", async () => {
    const { stderr, stdout } = await run(process.execPath, ["--conditions=@limbeck/source", main])
    assert.deepStrictEqual(
      stdout
        .replace(/took \d+ ms/, "took … ms")
        .trimEnd()
        .split("\n"),
      [
        "attempt  virtual time  outcome",
        "1                 0 s  503: closed for today",
        "2                 5 s  503: closed for today",
        "3                30 s  503: closed for today",
        "4               120 s  503: closed for today",
        "5               600 s  503: closed for today",
        "6              1800 s  503: closed for today",
        "",
        "The delivery is dead_lettered. An hour of virtual time took … ms.",
        "Every attempt was made when it was due."
      ]
    )
    assert.strictEqual(stderr, "")
  })

  it("finds wrong what is late, missing or not over", () => {
    const attempt = (number: number, seconds: number) => ({
      id: "att_00000000000000000000000000" as const,
      deliveryId: "del_00000000000000000000000000" as const,
      number,
      trigger: "automatic" as const,
      result: { statusCode: 503, bodySnippet: "", durationMillis: 0, error: null },
      startedAt: seconds * 1_000
    })
    const right: Outcome = {
      attempts: [0, 5, 30, 120, 600, 1_800].map((seconds, index) => attempt(index + 1, seconds)),
      status: "dead_lettered",
      realMillis: 1
    }
    assert.isTrue(isRight(right))
    assert.isFalse(isRight({ ...right, status: "failed" }))
    assert.isFalse(isRight({ ...right, attempts: right.attempts.slice(1) }))
    assert.isFalse(isRight({ ...right, attempts: [...right.attempts.slice(0, 5), attempt(6, 1_801)] }))
  })
})
