import { assert, describe, it } from "@effect/vitest"
import { nextDueAt, standard } from "@limbeck/webhooks/delivery/RetrySchedule"

const startedAt = 1_000_000
const dueAfter = (attempts: number, endedAt = startedAt) => nextDueAt(standard, { startedAt, attempts, endedAt })

describe("RetrySchedule", () => {
  it("retries come 5, 30, 120, 600 and 1,800 seconds after the cycle began, and then no more", () => {
    const waits = [1, 2, 3, 4, 5].map((attempts) => (dueAfter(attempts) ?? Number.NaN) - startedAt)
    assert.deepStrictEqual(waits, [5_000, 30_000, 120_000, 600_000, 1_800_000])
    assert.isNull(dueAfter(6))
    assert.isNull(dueAfter(7))
  })

  it("a retry is never due before the attempt before it has ended", () => {
    assert.strictEqual(dueAfter(1, startedAt + 4_999), startedAt + 5_000)
    assert.strictEqual(dueAfter(1, startedAt + 5_004), startedAt + 5_004)
  })

  it("a late attempt does not push the later ones back", () =>
    assert.strictEqual(dueAfter(2, startedAt + 29_000), startedAt + 30_000))
})
