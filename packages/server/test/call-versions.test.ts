/** Dataset versions made from captured calls (contract 6, 14.21). */
import { assert, it } from "@effect/vitest"
import type { Dataset } from "@limbeck/api/DatasetsApi"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Sources from "@limbeck/testing/http/SourceSteps"
import { asked, callOf, calls, capture, feedback, listed, type Version, versionOfCalls } from "./support/Captured.ts"
import { assertInvalid, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type ShownRow = Readonly<Record<string, unknown>>

const rowsOf = async (caller: Client, { id }: Version) =>
  expectStatus(await caller.get<ListOf<ShownRow>>(`/v1/distill/dataset_versions/${id}/rows?limit=100`), 200).data

/** Questions and answers, in the order of questions. */
const pairsOf = async (caller: Client, version: Version) =>
  (await rowsOf(caller, version))
    .map(({ completion, messages }) => [(messages as ReadonlyArray<ShownRow>)[0]?.["content"], completion])
    .toSorted()

onEachStorage("versions of captured calls", (house) => {
  it("hold what was asked and answered by others than students, once for each, without the labels of the call (P63)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const tools = [{ type: "function", function: { name: "weather" } }]
    const toolCall = { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function" }] }
    const empty = { role: "assistant", content: null, tool_calls: [] }
    await capture(house, workspace, [
      asked(house, "a", "first", { tags: ["x"], externalId: "1" }),
      asked(house, "a", "first", { tags: ["y"], externalId: "2", latencyMillis: 7 }),
      asked(house, "b", "shadowed", { servedBy: "shadow" }),
      asked(house, "c", "fallen back", { servedBy: "upstream_fallback" }),
      asked(house, "d", toolCall, {
        request: JSON.stringify({ model: "large", messages: [{ role: "user", content: "d" }], tools, stream: true })
      }),
      asked(house, "e", "by a student", { servedBy: "student" }),
      asked(house, "f", "failed", { outcome: "failed", statusCode: 500 }),
      asked(house, "g", "aborted", { outcome: "aborted" }),
      asked(house, "h", "not a conversation", { endpoint: "embeddings" }),
      asked(house, "i", empty),
      asked(house, "j", "", { response: JSON.stringify({ choices: [] }) }),
      callOf(house, { response: null, responseIsJson: false }),
      callOf(house, { request: "not json", requestIsJson: false })
    ])
    const version = await versionOfCalls(live, {})
    assert.deepInclude(version, { status: "ready", rows: 4, from: { calls: {} } })
    assert.deepStrictEqual(version.dropped, { duplicates: 1, invalid: 0, redactions: 0, unsupported: 8, suspects: 0 })
    assert.deepStrictEqual(version.dropped_reasons, { by_student: 1, embedding: 1, no_answer: 5, unreadable: 1 })
    assert.deepStrictEqual(version.warnings, [])
    const completion = { role: "assistant", tool_calls: toolCall.tool_calls }
    assert.deepStrictEqual(await pairsOf(live, version), [
      ["a", "first"],
      ["b", "shadowed"],
      ["c", "fallen back"],
      ["d", completion]
    ])
    const rows = await rowsOf(live, version)
    const withTools = rows.find((row) => "tools" in row)
    assert.deepStrictEqual(withTools?.["tools"], tools)
    for (const row of rows) assert.hasAnyKeys(row, ["messages", "completion", "tools", "split"])
    for (const row of rows) assert.doesNotHaveAnyKeys(row, ["tags", "external_id", "model", "temperature", "stream"])
  })

  it("hold the calls that are named one by one, and no others; what gives no row is counted (P1749)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const first = asked(house, "a", "first")
    const third = asked(house, "c", "third")
    const student = asked(house, "d", "by a student", { servedBy: "student" })
    const failed = asked(house, "e", "failed", { outcome: "failed", statusCode: 500 })
    const other = asked(house, "f", "not a conversation", { endpoint: "embeddings" })
    await capture(house, workspace, [first, asked(house, "b", "not named"), third, student, failed, other])
    const gone = callOf(house).id
    const ids = [third, first, student, failed, other, first].map(({ id }) => id)
    const version = await versionOfCalls(live, { ids: [...ids, gone] })
    assert.deepInclude(version, { status: "ready", rows: 2 })
    assert.deepStrictEqual(version.dropped_reasons, { by_student: 1, embedding: 1, no_answer: 1 })
    assert.deepStrictEqual(await pairsOf(live, version), [
      ["a", "first"],
      ["c", "third"]
    ])
    const ofStudents = await versionOfCalls(live, { ids, served_by: "student" })
    assert.deepStrictEqual(await pairsOf(live, ofStudents), [["d", "by a student"]])
    const dataset = expectStatus(await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "n" }), 201)
    const refused = (selection: object) =>
      live.post(`/v1/distill/datasets/${dataset.id}/versions`, { from: { calls: selection } })
    assertInvalid(await refused({ ids, model: "large" }), "from.calls")
    assertInvalid(await refused({ ids: [] }), "from.calls.ids")
    assertInvalid(await refused({ ids: Array.from({ length: 1_001 }, () => gone) }), "from.calls.ids")
  })

  it("hold a conversation once, whichever dialects it was captured in (P1064)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const inResponses = {
      request: {
        model: "large",
        instructions: "Be brief.",
        input: [{ role: "user", content: [{ type: "input_text", text: "a" }] }]
      },
      response: {
        status: "completed",
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "first" }] }]
      }
    }
    const inMessages = {
      request: { model: "claude", system: "Be brief.", messages: [{ role: "user", content: "a" }] },
      response: {
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "first" }
        ],
        stop_reason: "end_turn"
      }
    }
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "a" }
    ]
    const of = (endpoint: "responses" | "messages", { request, response }: { request: object; response: object }) =>
      callOf(house, { endpoint, request: JSON.stringify(request), response: JSON.stringify(response) })
    await capture(house, workspace, [
      of("responses", inResponses),
      of("messages", inMessages),
      asked(house, "a", "first", { request: JSON.stringify({ messages }) })
    ])
    const version = await versionOfCalls(live, {})
    assert.deepInclude(version, { status: "ready", rows: 1, dropped_reasons: {}, warnings: [] })
    assert.deepInclude(version.dropped, { duplicates: 2, invalid: 0, unsupported: 0 })
    const [row] = await rowsOf(live, version)
    assert.deepInclude(row, { messages, completion: "first" })
  })

  it("say why they have no rows, with a count for each reason (P1065)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const none = await versionOfCalls(live, {})
    assert.deepInclude(none, { status: "ready", rows: 0, dropped_reasons: {} })
    assert.deepStrictEqual(none.warnings, ["The version has no rows: no captured call matches its filter."])
    const continued = { request: JSON.stringify({ input: "a", previous_response_id: "resp_1" }) }
    await capture(house, workspace, [
      callOf(house, { endpoint: "embeddings" }),
      callOf(house, { endpoint: "responses", ...continued }),
      callOf(house, { endpoint: "responses", ...continued }),
      callOf(house, { truncated: true })
    ])
    const version = await versionOfCalls(live, { limit: 5 })
    assert.deepInclude(version, { status: "ready", rows: 0 })
    assert.deepStrictEqual(version.dropped, { duplicates: 0, invalid: 1, redactions: 0, unsupported: 3, suspects: 0 })
    assert.deepStrictEqual(version.dropped_reasons, { continues_stored_conversation: 2, embedding: 1 })
    assert.deepStrictEqual(version.warnings, [
      "The version has no rows. Left out: 2 calls continuing a conversation that the provider stores, 1 call of embeddings, 1 invalid row."
    ])
  })

  it("count as invalid what is larger than a row may be, and what was cut when it was captured (P118)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const talk = (count: number) => ({
      request: JSON.stringify({ messages: Array.from({ length: count }, () => ({ role: "user", content: "again" })) })
    })
    const tools = (count: number) => Array.from({ length: count }, () => ({}))
    await capture(house, workspace, [
      asked(house, "a", "kept", talk(1_000)),
      asked(house, "b", "many", talk(1_001)),
      asked(house, "c", "long".repeat(250_001)),
      asked(house, "d", "members", { request: JSON.stringify({ messages: [{ role: "user" }], tools: tools(10_000) }) }),
      asked(house, "e", "more", { request: JSON.stringify({ messages: [{ role: "user" }], tools: tools(200_000) }) }),
      asked(house, "f", "deep", {
        request: `{"messages":[{"role":"user","x":${"[".repeat(9_999)}${"]".repeat(9_999)}}]}`
      }),
      asked(house, "g", "cut", { truncated: true, responseIsJson: false, response: "{" })
    ])
    const version = await versionOfCalls(live, {})
    assert.deepInclude(version, { status: "ready", rows: 1 })
    assert.deepInclude(version.dropped, { duplicates: 0, invalid: 6 })
  })

  it("keep to every filter, and show what was asked, with the source by its id", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const source = await Sources.create(live, { name: "teacher" })
    const at = house.now() - 3_600_000
    const made = [
      asked(house, "a", "1", { createdAt: at, source: source.id, tags: ["x", "y"] }),
      asked(house, "b", "2", { createdAt: at + 1_000, model: "small", tags: ["x"], externalId: "order" }),
      asked(house, "c", "3", { createdAt: at + 2_000, tags: ["y"] }),
      asked(house, "d", "4", { createdAt: at + 3_000 })
    ]
    await capture(house, workspace, made)
    for (const [said, value] of [
      [{ call_id: made[0]!.id }, 0.5],
      [{ external_id: "order" }, 1],
      [{ call_id: made[2]!.id }, 0.4]
    ] as const) {
      expectStatus(await live.post(feedback, { ...said, name: "quality", value }), 201)
    }
    const cases = [
      [{ source: "teacher" }, "a"],
      [{ source: source.id }, "a"],
      [{ tags: ["x"] }, "ab"],
      [{ tags: ["x", "y"] }, "a"],
      [{ model: "small" }, "b"],
      [{ model: "unheard of" }, ""],
      [{ min_feedback: 0.5 }, "ab"],
      [{ min_feedback: 0.4 }, "abc"],
      [{ created_after: toIso(at) }, "bcd"],
      [{ created_after: toIso(at), created_before: toIso(at + 3_000) }, "bc"],
      [{ limit: 2 }, "cd"],
      [{ tags: ["x"], limit: 1 }, "b"]
    ] as const
    for (const [filter, expected] of cases) {
      const version = await versionOfCalls(live, filter)
      const shown = "source" in filter ? { ...filter, source: source.id } : filter
      assert.deepStrictEqual(version.from, { calls: shown })
      const pairs = await pairsOf(live, version)
      assert.strictEqual(pairs.map(([prompt]) => prompt).join(""), expected, JSON.stringify(filter))
    }
  })

  it("take the calls that the list shows for the same filter; a student's answers only if served_by names the student (P1020)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const source = await Sources.create(live, { name: "teacher" })
    await capture(house, workspace, [
      asked(house, "a", "Straße", { source: source.id, tags: ["x"] }),
      asked(house, "b", "2", { model: "small", externalId: "order" }),
      asked(house, "c", "3", { servedBy: "student", tags: ["x", "y"] }),
      asked(house, "d", "4", { servedBy: "shadow", tags: ["y"] }),
      asked(house, "e", "5", { outcome: "aborted", externalId: "order" }),
      asked(house, "f", "6", { servedBy: "student", outcome: "failed" }),
      asked(house, "g", "STRASSE straße", { servedBy: "upstream_fallback", tags: ["x"] })
    ])
    const cases = [
      [{ text: "STRAßE" }, "ag"],
      [{ text: "STRAßE", source: "teacher" }, "a"],
      [{ text: "straße", tag: "x", served_by: "upstream_fallback" }, "g"],
      [{ text: "straße", limit: 1 }, "g"],
      [{ tag: "x" }, "ag"],
      [{ tag: "x", tags: ["y"] }, ""],
      [{ tag: "x", tags: ["y"], served_by: "student" }, "c"],
      [{ served_by: "student" }, "c"],
      [{ served_by: "student", outcome: "failed" }, "f"],
      [{ served_by: "shadow" }, "d"],
      [{ external_id: "order" }, "b"],
      [{ external_id: "order", outcome: "aborted" }, "e"],
      [{ model: "small", external_id: "order", outcome: "succeeded", served_by: "upstream", text: "2" }, "b"],
      [{ outcome: "succeeded" }, "abdg"]
    ] as const
    for (const [filter, expected] of cases) {
      const version = await versionOfCalls(live, filter)
      const shown = "source" in filter ? { ...filter, source: source.id } : filter
      assert.deepStrictEqual(version.from, { calls: shown })
      const prompts = (await pairsOf(live, version)).map(([prompt]) => prompt)
      assert.strictEqual(prompts.join(""), expected, JSON.stringify(filter))
    }
    const query = { tag: "x", served_by: "student", outcome: "succeeded", text: "3" }
    const { data } = await listed(live, `?${new URLSearchParams(query)}`)
    assert.strictEqual(data.length, (await versionOfCalls(live, query)).rows)
  })

  it("what is wrong with the filter is named", async () => {
    const { live } = await house.workspace()
    const { id } = expectStatus(await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "a" }), 201)
    const path = `/v1/distill/datasets/${id}/versions`
    const cases = [
      [{ source: "nobody" }, "from.calls.source"],
      [{ source: "src_00000000000000000000000000" }, "from.calls.source"],
      [{ source: 1 }, "from.calls.source"],
      [{ tags: "x" }, "from.calls.tags"],
      [{ tags: [1] }, "from.calls.tags[0]"],
      [{ model: "" }, "from.calls.model"],
      [{ created_after: "yesterday" }, "from.calls.created_after"],
      [{ min_feedback: "1" }, "from.calls.min_feedback"],
      [{ tag: "" }, "from.calls.tag"],
      [{ external_id: "x".repeat(256) }, "from.calls.external_id"],
      [{ served_by: "nobody" }, "from.calls.served_by"],
      [{ outcome: "pending" }, "from.calls.outcome"],
      [{ text: "" }, "from.calls.text"],
      [{ text: "x".repeat(CaptureLimits.searchTextMax + 1) }, "from.calls.text"],
      [{ limit: 0 }, "from.calls.limit"],
      [{ limit: 1.5 }, "from.calls.limit"],
      [{ limt: 1 }, "from.calls.limt"]
    ] as const
    for (const [calls, param] of cases) assertInvalid(await live.post(path, { from: { calls } }), param)
    assertInvalid(await live.post(path, { from: { calls: {}, upload: "upl_1" } }), "from")
    assertInvalid(await live.post(path, { from: { calls: [] } }), "from.calls")
  })

  it("are alike in whatever order the calls were stored, and of their own mode and time (P63)", async () => {
    const at = house.now() - 3_600_000
    const made = Array.from({ length: 40 }, (_, n) => asked(house, `q${n % 17}`, `a${n % 5}`, { createdAt: at + n }))
    const digests = new Set<string | null>()
    for (const order of [made, made.toReversed(), made.toSorted((a, b) => (a.request < b.request ? 1 : -1))]) {
      const workspace = await house.workspace()
      for (const call of order) await capture(house, workspace, [call])
      await capture(house, workspace, [asked(house, "of test mode", "x")], false)
      await capture(house, workspace, [asked(house, "yet to come", "x", { createdAt: house.now() + 60_000 })])
      digests.add((await versionOfCalls(workspace.live, {})).content_sha256)
    }
    assert.strictEqual(digests.size, 1)
    assert.notInclude([...digests], null)
  })

  it("lose nothing when the calls are removed (P64)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const made = Array.from({ length: 5 }, (_, n) => asked(house, `q${n}`, `a${n}`))
    await capture(house, workspace, made)
    const version = await versionOfCalls(live, {})
    const before = await rowsOf(live, version)
    assert.strictEqual(before.length, 5)
    expectStatus(await live.delete(`${calls}/${made[0]!.id}`), 200)
    await house.withCalls((store) => store.prune(house.now(), 1_000_000))
    assert.deepStrictEqual(expectStatus(await live.get<ListOf<ShownRow>>(calls), 200).data, [])
    assert.deepStrictEqual(await rowsOf(live, version), before)
  })
})
