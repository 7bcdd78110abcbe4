import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import { type Pull, PullStatus } from "@limbeck/distill/pull/Pull"
import { edges, PullEvent, transition } from "@limbeck/distill/pull/PullMachine"
import * as Result from "effect/Result"

const blob = { sha256: "ab".repeat(32), bytes: 10 }

const pullIn = (status: PullStatus): Pull => ({
  id: "pull_00000000000000000000000000",
  connector: "con_00000000000000000000000000",
  status,
  starts: status === "queued" ? 0 : 1,
  blob: null,
  gzip: false,
  rows: null,
  errors: [],
  errorCount: 0,
  error: null,
  createdAt: 0,
  startedAt: status === "queued" ? null : 1,
  finishedAt: null,
  updatedAt: 0
})

const read = (errorCount: number) =>
  PullEvent.ContentRead({
    rows: 3,
    errors: Array.from({ length: errorCount }, (_, index) => ({ line: index + 1, message: "Not JSON" })),
    errorCount
  })

const arrived = PullEvent.ContentArrived({ blob, gzip: true })
const failed = PullEvent.Failed({ code: "timeout", message: "It did not answer" })
const all = [PullEvent.Started(), arrived, read(0), read(1), failed]

const after = (status: PullStatus, event: PullEvent, now = 5) =>
  Result.getOrThrow(transition(pullIn(status), event, now))

describe("PullMachine", () => {
  it("the published diagram is this diagram", () =>
    assert.deepStrictEqual(
      PullStatus.literals.flatMap((from) =>
        Object.entries<ReadonlyArray<PullStatus>>(edges[from]).flatMap(([event, to]) =>
          to.map((target) => `${from} --> ${target}: ${event}`)
        )
      ),
      [
        "queued --> running: Started",
        "running --> running: Started",
        "running --> running: ContentArrived",
        "running --> succeeded: ContentRead",
        "running --> failed: ContentRead",
        "running --> failed: Failed"
      ]
    ))

  it("succeeded and failed are the only ends, and nothing leaves them", () => {
    for (const event of all) {
      for (const status of ["succeeded", "failed"] as const) {
        assert.isTrue(Result.isFailure(transition(pullIn(status), event, 5)), `${status} ${event._tag}`)
      }
      const next = Result.getOrUndefined(transition(pullIn("running"), event, 5))
      assert.strictEqual(next?.finishedAt !== null, next?.status === "succeeded" || next?.status === "failed")
    }
  })

  it("only a worker that takes it up begins it; one that was lost is followed by another", () => {
    for (const event of all.slice(1)) assert.isTrue(Result.isFailure(transition(pullIn("queued"), event, 5)))
    assert.deepInclude(after("queued", PullEvent.Started()), { status: "running", starts: 1, startedAt: 5 })
    assert.deepInclude(after("running", PullEvent.Started()), { status: "running", starts: 2, startedAt: 1 })
  })

  it("content that is here says nothing of its rows before it was read", () =>
    assert.deepInclude(after("running", arrived), { status: "running", blob, gzip: true, rows: null, error: null }))

  it("one bad line fails the pull, and no more are named than the bound allows", () => {
    assert.deepInclude(after("running", read(0)), { status: "succeeded", rows: 3, error: null, finishedAt: 5 })
    assert.deepInclude(after("running", read(1)), { status: "failed", rows: null, errorCount: 1 })
    const many = after("running", read(70))
    assert.strictEqual(many.errorCount, 70)
    assert.strictEqual(many.errors.length, DistillLimits.uploadErrorsMax)
    assert.deepStrictEqual(many.error, { code: "invalid_rows", message: "70 lines are no rows" })
  })
})
