/** The versions of the API (contract 11): old shapes are derived from the newest, and nothing else changes. */
import { assert, describe, it } from "@effect/vitest"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"

const [newest, older] = ApiVersions.versions

const upload = { id: "upl_1", object: "upload", errors: [{ line: 3, message: "No JSON" }], error_count: 1 }
const uploadBefore = { ...upload, errors: ["line 3: No JSON"] }

const event = (type: string, object: object) => ({
  id: "evt_1",
  object: "event",
  type,
  api_version: newest,
  data: { object }
})

describe("ApiVersions", () => {
  it("are dates, the newest first", () => {
    assert.deepStrictEqual([...ApiVersions.versions].sort().reverse(), [...ApiVersions.versions])
    for (const version of ApiVersions.versions) assert.match(version, /^\d{4}-\d\d-\d\d$/)
    assert.isTrue(ApiVersions.isKnown(newest) && ApiVersions.isKnown(older))
    for (const other of ["", "2026-10-02", "2026-11-02", "latest"]) assert.isFalse(ApiVersions.isKnown(other))
  })

  it("the newest answer is the very same value, and the newest text the very same text", () => {
    assert.strictEqual(ApiVersions.answerIn(newest, upload), upload)
    const text = '{ "object": "upload", "n": 1.0 }'
    assert.strictEqual(ApiVersions.textIn(newest, text), text)
  })

  it("an older answer has the older shape: alone, in a list, and in an event, which names its version (P164)", () => {
    assert.deepStrictEqual(ApiVersions.answerIn(older, upload), uploadBefore)
    const list = { data: [upload, upload], has_more: false, next_cursor: null }
    assert.deepStrictEqual(ApiVersions.answerIn(older, list), { ...list, data: [uploadBefore, uploadBefore] })
    const failed = event("distill.upload.failed", upload)
    const before = { ...failed, api_version: older, data: { object: uploadBefore } }
    assert.deepStrictEqual(ApiVersions.answerIn(older, failed), before)
    assert.deepStrictEqual(ApiVersions.answerIn(older, { ...list, data: [failed] }), { ...list, data: [before] })
    assert.strictEqual(ApiVersions.textIn(older, JSON.stringify(failed)), JSON.stringify(before))
  })

  it("what is no resource of ours keeps its shape, though it looks like one (P164)", () => {
    const call = { object: "captured_call", request: upload, response: { data: [upload] } }
    assert.deepStrictEqual(ApiVersions.answerIn(older, call), call)
    const hosts = event("order.paid", upload)
    assert.deepStrictEqual(ApiVersions.answerIn(older, hosts), { ...hosts, api_version: older })
    for (const value of [null, 1, "text", [upload]]) assert.deepStrictEqual(ApiVersions.answerIn(older, value), value)
  })

  it("an event that happened under an older version stays in it", () => {
    const old = { ...event("distill.upload.failed", uploadBefore), api_version: older }
    assert.deepStrictEqual(ApiVersions.answerIn(older, old), old)
    assert.deepStrictEqual(ApiVersions.answerIn("2026-09-01", old), { ...old, api_version: "2026-09-01" })
  })
})
