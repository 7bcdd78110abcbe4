import { assert, describe, it } from "@effect/vitest"
import { type DatasetVersion, VersionStatus } from "@limbeck/distill/dataset/DatasetVersion"
import { transition, VersionEvent } from "@limbeck/distill/dataset/VersionMachine"
import * as Result from "effect/Result"

const versionIn = (status: DatasetVersion["status"]): DatasetVersion => ({
  id: "dsv_00000000000000000000000000",
  dataset: "ds_00000000000000000000000000",
  status,
  source: { upload: "upl_00000000000000000000000000" },
  holdoutFraction: 0.1,
  dedupe: "exact",
  seed: 0,
  rows: 0,
  trainRows: 0,
  holdoutRows: 0,
  tokens: 0,
  contentSha256: null,
  dropped: { duplicates: 0, invalid: 0, redactions: 0, unsupported: 0 },
  profile: null,
  error: null,
  createdAt: 0,
  updatedAt: 0
})

const profile = {
  rows: 3,
  multiTurn: 0,
  toolUse: 0,
  structured: 0,
  labels: null,
  promptTokens: 40,
  completionTokens: 2,
  longestTokens: 20
}

const built = VersionEvent.Built({
  trainRows: 2,
  holdoutRows: 1,
  contentSha256: "ab".repeat(32),
  nearDuplicates: 1,
  contradictions: { rows: 0, lost: 0 },
  reviewed: { corrected: 0, dropped: 0 },
  questions: [],
  templates: [],
  effectiveRows: 2.5,
  dropped: { duplicates: 4, invalid: 0, redactions: 0, unsupported: 2 },
  droppedReasons: { by_student: 2 },
  profile
})
const failed = VersionEvent.Failed({ code: "source_unreadable", message: "gone" })

describe("VersionMachine", () => {
  it("a version is built or fails, once, and never changes after (P25)", () => {
    for (const status of VersionStatus.literals) {
      for (const event of [built, failed]) {
        assert.strictEqual(Result.isSuccess(transition(versionIn(status), event, 5)), status === "building")
      }
    }
  })

  it("built, it is ready with what was counted", () => {
    const { _tag, ...counted } = built
    const ready = Result.getOrThrow(transition(versionIn("building"), built, 5))
    assert.deepStrictEqual(ready, {
      ...versionIn("ready"),
      ...counted,
      rows: 3,
      tokens: 42,
      updatedAt: 5
    })
  })

  it("failed, it says why", () => {
    const after = Result.getOrThrow(transition(versionIn("building"), failed, 5))
    assert.deepInclude(after, { status: "failed", error: { code: "source_unreadable", message: "gone" } })
  })
})
