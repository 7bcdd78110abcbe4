/** Versions whose rows stand for the traffic, and versions that join others (contract 16.34). */
import { assert, it } from "@effect/vitest"
import type { Dataset } from "@limbeck/api/DatasetsApi"
import { readUntil, versionOf } from "@limbeck/testing/http/Steps"
import { asked, capture, type Version, versionOfCalls } from "./support/Captured.ts"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

interface ShownRow {
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly weight?: number
}

/** Weights by question. */
const weightsOf = async (caller: Client, { id }: Version) => {
  const path = `/v1/distill/dataset_versions/${id}/rows?limit=100`
  const { data } = expectStatus(await caller.get<ListOf<ShownRow>>(path), 200)
  return Object.fromEntries(data.map(({ messages, weight }) => [messages[0]?.content, weight]))
}

const create = async (caller: Client, body: object) => {
  const dataset = expectStatus(await caller.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "joined" }), 201)
  return caller.post<Version>(`/v1/distill/datasets/${dataset.id}/versions`, body)
}

const joined = async (caller: Client, from: object) => {
  const { id } = expectStatus(await create(caller, { from }), 201)
  return readUntil(
    () => caller.get<Version>(`/v1/distill/dataset_versions/${id}`),
    ({ status }) => status !== "building"
  )
}

const deployment = "dep_01kaf3tn0e5v2b8w6xq4rj7mcd"

onEachStorage("a version of calls that a student has answered", (house) => {
  it("lets verified answers stand for the student's, each other row for itself, and says what it is made of (P1148)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const tags = ["desk"]
    const answered = Array.from({ length: 6 }, (_, n) =>
      asked(house, `sure ${n}`, "by the student", {
        servedBy: "student",
        source: null,
        model: "svc:desk",
        deployment,
        tags
      })
    )
    const verifications = answered.slice(0, 2).map(({ id }, n) =>
      asked(house, `sure ${n}`, "by the teacher", {
        tags: [...tags, "verification"],
        verifies: { call: id, deployment }
      })
    )
    await capture(house, workspace, [
      ...answered,
      ...verifications,
      asked(house, "hard", "fallen back", { servedBy: "upstream_fallback", deployment, tags }),
      asked(house, "plain", "answered", { tags }),
      asked(house, "elsewhere", "other", { tags: ["mail"] })
    ])
    const version = await versionOfCalls(live, { tag: "desk" })
    assert.deepInclude(version, {
      rows: 4,
      effective_rows: 8 ** 2 / 20,
      made_of: { upstream: 1, fallback: 1, verified: 2, versions: 0 }
    })
    const weights = { "sure 0": 3, "sure 1": 3, hard: 1, plain: 1 }
    assert.deepStrictEqual(await weightsOf(live, version), weights)
    // The student's answers have another model and no source, and count all the same.
    const bySource = await versionOfCalls(live, { tag: "desk", model: "large" })
    assert.deepStrictEqual(await weightsOf(live, bySource), weights)
    const even = await versionOfCalls(live, { tag: "desk", weights: "none" })
    assert.deepInclude(even, { effective_rows: 4, made_of: version.made_of, content_sha256: version.content_sha256 })
    assert.deepStrictEqual(await weightsOf(live, even), { "sure 0": 1, "sure 1": 1, hard: 1, plain: 1 })
    assert.deepStrictEqual(even.from, { calls: { tag: "desk", weights: "none" } })
    const verified = await versionOfCalls(live, { verifies: true })
    assert.deepStrictEqual(await weightsOf(live, verified), { "sure 0": 3, "sure 1": 3 })
    for (const filter of [{ verifies: false }, { served_by: "upstream" }, { min_feedback: 0 }]) {
      assert.deepInclude((await versionOfCalls(live, filter)).made_of, { verified: 0 })
    }
  })

  it("adds up the weights of equal answers: a row stands for the calls of all its copies (P1515)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const tags = ["desk"]
    const student = { servedBy: "student", source: null, model: "svc:desk", deployment, tags } as const
    const questions = ["often", "often", "often", "seldom", "seldom", "seldom", "seldom", "seldom"]
    const answered = questions.map((question) => asked(house, question, "by the student", student))
    const verifies = (n: number) => ({ tags, verifies: { call: answered[n]!.id, deployment } })
    await capture(house, workspace, [
      ...answered,
      ...[0, 1, 2].map((n) => asked(house, "often", "by the teacher", verifies(n))),
      asked(house, "seldom", "by the teacher", verifies(3)),
      ...Array.from({ length: 5 }, () => asked(house, "plain", "answered", { tags }))
    ])
    const version = await versionOfCalls(live, { tag: "desk" })
    // Of eight answers four were verified: each stands for two.
    assert.deepStrictEqual(await weightsOf(live, version), { often: 6, seldom: 2, plain: 5 })
    assert.deepInclude(version, {
      rows: 3,
      made_of: { upstream: 1, fallback: 0, verified: 2, versions: 0 },
      effective_rows: 13 ** 2 / (36 + 4 + 25)
    })
    assert.deepInclude(version.dropped, { duplicates: 6 })
    const even = await versionOfCalls(live, { tag: "desk", weights: "none" })
    assert.deepStrictEqual(await weightsOf(live, even), { often: 1, seldom: 1, plain: 1 })
    assert.strictEqual(even.content_sha256, version.content_sha256)
  })

  it("leaves out what evaluations asked, unless the filter names its tag (P1516)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const call = asked(house, "plain", "answered", { tags: ["desk"] })
    await capture(house, workspace, [
      call,
      asked(house, "compared", "by a candidate", { tags: ["desk", "candidate"] }),
      asked(house, "compared too", "by a candidate", {
        tags: ["desk", "candidate"],
        verifies: { call: call.id, deployment }
      }),
      asked(house, "repeated", "by the teacher", { tags: ["desk", "teacher_repeat"] })
    ])
    for (const filter of [{}, { tag: "desk" }, { tags: ["desk"] }]) {
      assert.deepStrictEqual(await weightsOf(live, await versionOfCalls(live, filter)), { plain: 1 })
    }
    const compared = await versionOfCalls(live, { tag: "candidate", verifies: false })
    assert.deepStrictEqual(await weightsOf(live, compared), { compared: 1 })
    const repeated = await versionOfCalls(live, { tags: ["desk", "teacher_repeat"] })
    assert.deepStrictEqual(await weightsOf(live, repeated), { repeated: 1 })
  })

  it("is of one deployment alone where the filter names it, with the verifications of its answers (P1332)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const student = { servedBy: "student", source: null, model: "svc:desk" } as const
    const other = "dep_01kaf3tn0e5v2b8w6xq4rj7mcf"
    const answered = Array.from({ length: 4 }, (_, n) => asked(house, `sure ${n}`, "a", { ...student, deployment }))
    const elsewhere = asked(house, "sure elsewhere", "a", { ...student, deployment: other })
    await capture(house, workspace, [
      ...answered,
      elsewhere,
      asked(house, "sure 0", "b", { verifies: { call: answered[0]!.id, deployment } }),
      asked(house, "sure elsewhere", "b", { verifies: { call: elsewhere.id, deployment: other } }),
      asked(house, "hard", "b", { servedBy: "upstream_fallback", deployment }),
      asked(house, "hard elsewhere", "b", { servedBy: "upstream_fallback", deployment: other }),
      asked(house, "plain", "b")
    ])
    const version = await versionOfCalls(live, { deployment })
    assert.deepStrictEqual(await weightsOf(live, version), { "sure 0": 4, hard: 1 })
    assert.deepInclude(version, {
      from: { calls: { deployment } },
      dropped_reasons: { by_student: 4 },
      made_of: { upstream: 0, fallback: 1, verified: 1, versions: 0 }
    })
    assert.deepStrictEqual(await weightsOf(live, await versionOfCalls(live, { deployment, verifies: true })), {
      "sure 0": 4
    })
    assert.deepStrictEqual(await weightsOf(live, await versionOfCalls(live, { deployment, verifies: false })), {
      hard: 1
    })
  })

  it("joins the rows of other versions, each row once and with the weight of the calls (P1149)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const row = (content: string) => ({ messages: [{ role: "user", content }], completion: "yes" })
    const old = await versionOf(live, [row("old"), row("both"), { ...row("heavy"), weight: 2.5 }])
    const older = await versionOf(live, [row("older"), row("old")])
    assert.deepInclude(old, { made_of: null, effective_rows: 4.5 ** 2 / 8.25 })
    await capture(house, workspace, [asked(house, "new", "yes"), asked(house, "both", "yes")])
    const version = await joined(live, { calls: {}, versions: [old.id, older.id, old.id] })
    assert.deepInclude(version, {
      status: "ready",
      rows: 5,
      made_of: { upstream: 2, fallback: 0, verified: 0, versions: 3 },
      from: { calls: {}, versions: [old.id, older.id] }
    })
    assert.strictEqual(version.dropped.duplicates, 2)
    const own = { new: 1, both: 1 }
    assert.deepStrictEqual(await weightsOf(live, version), { ...own, old: undefined, heavy: 2.5, older: undefined })
    const alone = await joined(live, { versions: [older.id] })
    assert.deepInclude(alone, { rows: 2, from: { versions: [older.id] } })
    assert.strictEqual(alone.made_of?.versions, 2)
  })

  it("is refused by the field that names no ready version (P1149)", async () => {
    const { live } = await house.workspace()
    const { id } = await versionOf(live, [{ messages: [{ role: "user", content: "a" }], completion: "b" }])
    const unknown = "dsv_01kaf3tn0e5v2b8w6xq4rj7mcd"
    const refusals = [
      [{ from: { calls: {}, versions: [id, unknown] } }, 404, "not_found_error", "from.versions[1]"],
      [{ from: { versions: [] } }, 400, "invalid_request_error", "from.versions"],
      [{ from: {} }, 400, "invalid_request_error", "from"],
      [{ from: { versions: [id] }, dedupe: "none" }, 400, "invalid_request_error", "dedupe"],
      [{ from: { calls: { weights: "some" } } }, 400, "invalid_request_error", "from.calls.weights"]
    ] as const
    for (const [body, status, type, param] of refusals) {
      assertRefused(await create(live, body), status, type, param)
    }
  })
})
