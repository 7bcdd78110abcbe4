import { assert, describe, it } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import { type Upload, UploadStatus } from "@limbeck/distill/upload/Upload"
import { at, edges, transition, UploadEvent } from "@limbeck/distill/upload/UploadMachine"
import * as Result from "effect/Result"

const sha256 = "ab".repeat(32)

const uploadIn = (status: UploadStatus): Upload => ({
  id: "upl_00000000000000000000000000",
  filename: "calls.jsonl",
  format: "chat_jsonl",
  expectedBytes: 10,
  expectedSha256: sha256,
  status,
  capabilityDigest: "",
  sealedCapability: "",
  blob: null,
  gzip: false,
  rows: null,
  errors: [],
  errorCount: 0,
  loop: null,
  createdAt: 0,
  updatedAt: 0
})

const arrived = (bytes: number, digest = sha256) =>
  UploadEvent.ContentArrived({ blob: { sha256: digest, bytes }, gzip: false })
const read = (errorCount: number) =>
  UploadEvent.ContentRead({
    rows: 3,
    errors: Array.from({ length: errorCount }, (_, index) => ({ line: index + 1, message: "Not JSON" })),
    errorCount
  })

const after = (status: UploadStatus, event: UploadEvent, now = 5) =>
  Result.getOrThrow(transition(uploadIn(status), event, now))

describe("UploadMachine", () => {
  it("the published diagram is this diagram", () =>
    assert.deepStrictEqual(
      UploadStatus.literals.flatMap((from) =>
        Object.entries<ReadonlyArray<UploadStatus>>(edges[from]).flatMap(([event, to]) =>
          to.map((target) => `${from} --> ${target}: ${event}`)
        )
      ),
      [
        "awaiting_content --> processing: ContentArrived",
        "awaiting_content --> failed: ContentArrived",
        "processing --> succeeded: ContentRead",
        "processing --> failed: ContentRead"
      ]
    ))

  it("content that is what was declared is processed; content of another size or digest fails the upload", () => {
    assert.strictEqual(after("awaiting_content", arrived(10)).status, "processing")
    for (const event of [arrived(9), arrived(11), arrived(10, "cd".repeat(32))]) {
      const failed = after("awaiting_content", event)
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.errorCount, 1)
      assert.strictEqual(failed.errors[0]?.line, 0)
    }
  })

  it("one bad line fails the upload, and no more are named than the bound allows", () => {
    assert.deepInclude(after("processing", read(0)), { status: "succeeded", rows: 3 })
    assert.deepInclude(after("processing", read(1)), { status: "failed", rows: null, errorCount: 1 })
    const many = after("processing", read(70))
    assert.strictEqual(many.errorCount, 70)
    assert.strictEqual(many.errors.length, DistillLimits.uploadErrorsMax)
  })

  it("content is taken once, and never by an end", () => {
    for (const status of ["processing", "succeeded", "failed", "expired"] as const) {
      assert.isTrue(Result.isFailure(transition(uploadIn(status), arrived(10), 5)), status)
    }
  })

  it("content that did not come within 24 hours comes too late", () => {
    const fresh = uploadIn("awaiting_content")
    const day = 24 * 3_600_000
    assert.strictEqual(at(fresh, day - 1).status, "awaiting_content")
    assert.deepInclude(at(fresh, day + 9), { status: "expired", updatedAt: day })
    assert.isTrue(Result.isFailure(transition(fresh, arrived(10), day)))
    assert.strictEqual(at(uploadIn("processing"), 2 * day).status, "processing")
  })
})
