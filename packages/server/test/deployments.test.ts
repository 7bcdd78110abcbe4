/** Deployments over HTTP: made, read, moved, rolled back, retired (contract 4, 7, 8, 14.25, 14.26). */
import { assert, it } from "@effect/vitest"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import {
  apiKey,
  awaitProvisioned,
  builtin,
  create,
  type DeploymentDetail,
  type DeploymentView,
  deployAndWait,
  deploymentEvents,
  endpoint,
  get,
  hasty,
  path,
  post,
  scene,
  studentOf
} from "@limbeck/testing/http/DeploymentSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const noFigures = {
  calls: { upstream: 0, student: 0, shadow: 0, upstream_fallback: 0, mixed: 0 },
  failed: 0,
  shadowed: 0,
  shadow_failed: 0,
  compared: 0,
  agreed: 0,
  agreement: null,
  student_latency_ms_mean: null,
  upstream_latency_ms_mean: null,
  upstream_cost_usd: 0,
  upstream_cost_usd_mean: null,
  cost_saved_usd: null,
  questions: []
}

const patch = (caller: Client, id: string, body: unknown) => caller.patch<DeploymentDetail>(`${path}/${id}`, body)
const rollback = (caller: Client, id: string) => caller.post<DeploymentDetail>(`${path}/${id}/rollback`)
const retire = (caller: Client, id: string) => caller.post<DeploymentView>(`${path}/${id}/retire`)

onEachStorage(
  "deployments",
  (house) => {
    let begun: Promise<Awaited<ReturnType<typeof scene>> & { readonly live: Client; readonly test: Client }> | undefined
    /** One workspace, its source and students for all tests of a storage; each test has aliases of its own. */
    const story = () => {
      begun ??= house.workspace().then(async ({ live, test }) => ({ ...(await scene(live)), live, test }))
      return begun
    }

    it("is provisioning first and then ready, says so in an event, and shows all of itself but the key", async () => {
      const { fallback, live, source, students } = await story()
      const body = {
        alias: "desk.all",
        student_model: students[0],
        mode: "active",
        fallback: { ...fallback, below_confidence: 0.5 },
        on_fallback_failure: "answer",
        traffic_percent: 12.5,
        timeout_ms: 900,
        endpoint: { ...endpoint, base_url: `${endpoint.base_url}/`, api_key: apiKey }
      }
      const answer = await post(live, body)
      const first = expectStatus(answer, 201)
      assert.match(first.id, /^dep_[0-9a-hjkmnp-tv-z]{26}$/)
      const shown = {
        object: "deployment",
        livemode: true,
        alias: "desk.all",
        model: "svc:desk.all",
        mode: "active",
        student_model: students[0],
        previous_student_model: null,
        loop: null,
        fallback: { source: source.id, model: "gpt", below_confidence: 0.5 },
        on_fallback_failure: "answer",
        traffic_percent: 12.5,
        timeout_ms: 900,
        endpoint: { ...endpoint, api_key_last4: "6789" },
        error: null,
        retired_at: null
      } as const
      assert.deepInclude(first, { ...shown, status: "provisioning" })
      assert.deepStrictEqual<unknown>(first.figures, noFigures)
      const ready = await awaitProvisioned(live, first.id)
      assert.deepInclude(ready, { ...shown, status: "ready", created_at: first.created_at })
      assert.deepStrictEqual<unknown>(ready.figures, noFigures)
      const events = (await deploymentEvents(live)).filter(({ object }) => Object(object).id === first.id)
      assert.deepStrictEqual(events, [{ type: "distill.deployment.ready", object: ready }])
      assert.notInclude(answer.text + JSON.stringify([ready, events]), apiKey)
    })

    it("says the usual where nothing is said", async () => {
      const { live, students } = await story()
      const { id } = await create(live, { alias: "usual", student_model: students[0], mode: "active", endpoint })
      assert.deepInclude(await get(live, id), { fallback: null, traffic_percent: 100, timeout_ms: 30_000 })
      assert.deepStrictEqual((await get(live, id)).endpoint, { ...endpoint, api_key_last4: null })
    })

    it("a body that breaks a rule is refused by the path of its first such field, and makes nothing", async () => {
      const { fallback, live, students } = await story()
      const good = { alias: "refused", student_model: students[0], mode: "active", endpoint }
      const refused: ReadonlyArray<readonly [fields: Readonly<Record<string, unknown>>, param: string]> = [
        [{ alias: undefined }, "alias"],
        [{ alias: "svc:refused" }, "alias"],
        [{ alias: "" }, "alias"],
        [{ alias: "Desk" }, "alias"],
        [{ alias: "a".repeat(65) }, "alias"],
        [{ student_model: undefined }, "student_model"],
        [{ student_model: 5 }, "student_model"],
        [{ mode: undefined }, "mode"],
        [{ mode: "canary" }, "mode"],
        [{ traffic_percent: 99.9 }, "fallback"],
        [{ traffic_percent: 50, fallback: null }, "fallback"],
        [{ fallback: {} }, "fallback.source"],
        [{ fallback: { source: fallback.source } }, "fallback.model"],
        [{ fallback: { ...fallback, source: "nobody" } }, "fallback.source"],
        [{ fallback: { ...fallback, source: "src_00000000000000000000000000" } }, "fallback.source"],
        [{ fallback: { ...fallback, below_confidence: 1.01 } }, "fallback.below_confidence"],
        [{ fallback: { ...fallback, below_confidence: "0.5" } }, "fallback.below_confidence"],
        [{ fallback: { ...fallback, percent: 5 } }, "fallback.percent"],
        [{ traffic_percent: -1 }, "traffic_percent"],
        [{ traffic_percent: 101 }, "traffic_percent"],
        [{ timeout_ms: 0 }, "timeout_ms"],
        [{ timeout_ms: 1.5 }, "timeout_ms"],
        [{ timeout_ms: 3_600_001 }, "timeout_ms"],
        [{ endpoint: undefined }, "endpoint"],
        [{ endpoint: null }, "endpoint"],
        [{ endpoint: { model: "a" } }, "endpoint.base_url"],
        [{ endpoint: { base_url: endpoint.base_url } }, "endpoint.model"],
        [{ endpoint: { ...endpoint, base_url: "https://me:word@students.example/v1" } }, "endpoint.base_url"],
        [{ endpoint: { ...endpoint, base_url: "http://students.example/v1" } }, "endpoint.base_url"],
        [{ endpoint: { ...endpoint, base_url: "students.example" } }, "endpoint.base_url"],
        [{ endpoint: { ...endpoint, api_key: "a\nb" } }, "endpoint.api_key"],
        [{ endpoint: { ...endpoint, key: "a" } }, "endpoint.key"],
        [{ percent: 5 }, "percent"]
      ]
      for (const [fields, param] of refused) assertInvalid(await post(live, { ...good, ...fields }), param)
      assertInvalid(await live.post(path, good), "Idempotency-Key")
      assert.isEmpty(expectStatus(await live.get<ListOf<DeploymentView>>(`${path}?alias=refused`), 200).data)
    })

    it("only a student of one's own that can be served is deployed, and only an llm one elsewhere (P78)", async () => {
      const { live, students, test, version } = await story()
      const body = { alias: "whose", student_model: students[0], mode: "active", endpoint }
      for (const [caller, fields] of [
        [live, { student_model: "stu_00000000000000000000000000" }],
        [live, { student_model: "nobody" }],
        [test, {}],
        [(await house.workspace()).live, {}]
      ] as const) {
        assertRefused(await post(caller, { ...body, ...fields }), 404, "not_found_error", "student_model")
      }
      const student_model = await studentOf(live, builtin, version)
      assertInvalid(await post(live, { ...body, student_model }), "endpoint")
    })

    it("a student that cannot be read fails its deployment, which says why and keeps its place", async () => {
      const { live, students, version } = await story()
      const student_model = await studentOf(live, builtin, version)
      const failed = await deployAndWait(live, { alias: "unread", student_model, mode: "active" })
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.error?.code, "student_unreadable")
      const body = { alias: "unread", student_model: students[0], mode: "active", endpoint }
      assertRefused(await post(live, body), 409, "conflict_error", "alias")
      const again = expectStatus(await patch(live, failed.id, { student_model: students[0], endpoint }), 200)
      assert.deepInclude(again, { status: "provisioning", error: null, previous_student_model: student_model })
      assert.strictEqual((await awaitProvisioned(live, failed.id)).status, "ready")
      const types = (await deploymentEvents(live))
        .filter(({ object }) => Object(object).id === failed.id)
        .map(({ type }) => type)
      assert.deepStrictEqual(types, ["distill.deployment.failed", "distill.deployment.ready"])
    })

    it("of many that want one alias at once, one has it; the other mode's place is another (P76)", async () => {
      const { fallback, live, students } = await story()
      const body = { alias: "wanted", student_model: students[0], mode: "active", endpoint }
      const answers = await Promise.all(Array.from({ length: 5 }, () => post(live, body)))
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        1
      )
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        assertRefused(answer, 409, "conflict_error", "alias")
      }
      const shadow = await create(live, { ...body, mode: "shadow", fallback })
      assertRefused(await patch(live, shadow.id, { mode: "active" }), 409, "conflict_error", "mode")
      const active = answers.find(({ status }) => status === 201)!.body
      expectStatus(await retire(live, active.id), 200)
      assert.deepInclude(expectStatus(await patch(live, shadow.id, { mode: "active" }), 200), { mode: "active" })
      assertRefused(await post(live, body), 409, "conflict_error", "alias")
    })

    it("one key makes one deployment", async () => {
      const { live, students } = await story()
      const body = { alias: "once", student_model: students[0], mode: "active", endpoint }
      const key = freshKey()
      const [first, again] = [await post(live, body, key), await post(live, body, key)]
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    })

    it("moves to another student and stays ready, and rolls back to the one before and where it was served (P75)", async () => {
      const { live, students } = await story()
      const body = { alias: "moved", student_model: students[0], mode: "active", endpoint }
      const { id } = await deployAndWait(live, body)
      assertRefused(await rollback(live, id), 409, "conflict_error")
      const elsewhere = { base_url: endpoint.base_url, model: "student-2", api_key: apiKey }
      const moved = expectStatus(await patch(live, id, { student_model: students[1], endpoint: elsewhere }), 200)
      assert.deepInclude(moved, {
        status: "ready",
        student_model: students[1],
        previous_student_model: students[0]
      })
      assert.deepStrictEqual<unknown>(moved.endpoint, { ...endpoint, model: "student-2", api_key_last4: "6789" })
      const back = expectStatus(await rollback(live, id), 200)
      assert.deepInclude(back, { status: "ready", student_model: students[0], previous_student_model: students[1] })
      assert.deepStrictEqual(back.endpoint, { ...endpoint, api_key_last4: null })
      const forth = expectStatus(await rollback(live, id), 200)
      assert.deepInclude(forth, { student_model: students[1], previous_student_model: students[0] })
      assert.deepStrictEqual(forth.endpoint, moved.endpoint)
    })

    it("a student that cannot be read is not moved to, and who cannot be served elsewhere takes no endpoint", async () => {
      const { live, students, version } = await story()
      const { id } = await deployAndWait(live, { alias: "stays", student_model: students[0], mode: "active", endpoint })
      const student_model = await studentOf(live, builtin, version)
      assertRefused(await patch(live, id, { student_model }), 409, "conflict_error", "student_model")
      assertInvalid(await patch(live, id, { student_model, endpoint }), "endpoint")
      assertRefused(await patch(live, id, { student_model: "stu_none" }), 404, "not_found_error", "student_model")
      assert.deepInclude(await get(live, id), { status: "ready", student_model: students[0] })
    })

    it("changes what it is told to, and keeps its key from other origins", async () => {
      const { fallback, live, source, students } = await story()
      const keyed = { ...endpoint, api_key: apiKey }
      const body = { alias: "changed", student_model: students[0], mode: "active", endpoint: keyed, fallback }
      const { id } = await deployAndWait(live, body)
      const changed = expectStatus(await patch(live, id, { traffic_percent: 25, timeout_ms: 5 }), 200)
      assert.deepInclude(changed, { traffic_percent: 25, timeout_ms: 5, previous_student_model: null })
      assert.deepStrictEqual(changed.fallback, { source: source.id, model: "gpt", below_confidence: null })
      assertInvalid(await patch(live, id, { fallback: null }), "fallback")
      assert.isNull(expectStatus(await patch(live, id, { fallback: null, traffic_percent: 100 }), 200).fallback)
      assertInvalid(await patch(live, id, { traffic_percent: 99 }), "fallback")
      const listens = { mode: "shadow", fallback: null, agreement: null } as const
      assert.deepInclude(expectStatus(await patch(live, id, { mode: "shadow" }), 200), listens)
      assertInvalid(await patch(live, id, { alias: "other" }), "alias")
      assertInvalid(await patch(live, id, { endpoint: null }), "endpoint")
      const moved = "https://elsewhere.example/v1"
      assertInvalid(await patch(live, id, { endpoint: { base_url: moved } }), "endpoint.api_key")
      const renamed = expectStatus(await patch(live, id, { endpoint: { model: "student-3" } }), 200)
      assert.deepStrictEqual(renamed.endpoint, { ...endpoint, model: "student-3", api_key_last4: "6789" })
      const bare = expectStatus(await patch(live, id, { endpoint: { base_url: moved, api_key: null } }), 200)
      assert.deepStrictEqual(bare.endpoint, { base_url: moved, model: "student-3", api_key_last4: null })
      assertRefused(await patch(live, "dep_none", {}), 404, "not_found_error")
    })

    it("changes that meet are all made (P76)", async () => {
      const { fallback, live, students } = await story()
      const body = { alias: "busy", student_model: students[0], mode: "active", endpoint, fallback }
      const { id } = await deployAndWait(live, body)
      const changes = [{ traffic_percent: 40 }, { timeout_ms: 77 }, { student_model: students[1] }, { mode: "shadow" }]
      for (const answer of await Promise.all(changes.map((change) => patch(live, id, change))))
        expectStatus(answer, 200)
      assert.deepInclude(await get(live, id), {
        traffic_percent: 40,
        timeout_ms: 77,
        student_model: students[1],
        previous_student_model: students[0],
        mode: "shadow",
        status: "ready"
      })
    })

    it("rollbacks that meet are all made, each by its key once", async () => {
      const { live, students } = await story()
      const body = { alias: "to-and-fro", student_model: students[0], mode: "active", endpoint }
      const { id } = await deployAndWait(live, body)
      expectStatus(await patch(live, id, { student_model: students[1] }), 200)
      const keys = Array.from({ length: 5 }, freshKey)
      const all = [...keys, ...keys].map((key) => live.post<DeploymentView>(`${path}/${id}/rollback`, undefined, key))
      for (const answer of await Promise.all(all)) assert.include([200, 409], answer.status, answer.text)
      for (const key of keys)
        expectStatus(await live.post<DeploymentView>(`${path}/${id}/rollback`, undefined, key), 200)
      assert.deepInclude(await get(live, id), {
        status: "ready",
        student_model: students[0],
        previous_student_model: students[1]
      })
    })

    it("retired is the end of it, and of no other under its alias", async () => {
      const { live, students } = await story()
      const body = { alias: "ended", student_model: students[0], mode: "active", endpoint }
      const { id } = await deployAndWait(live, body)
      const ended = expectStatus(await retire(live, id), 200)
      assert.strictEqual(ended.status, "retired")
      assert.strictEqual(ended.retired_at, ended.updated_at)
      for (const answer of [
        await retire(live, id),
        await rollback(live, id),
        await patch(live, id, { timeout_ms: 1 })
      ]) {
        assertRefused(answer, 409, "conflict_error")
      }
      const events = (await deploymentEvents(live)).filter(({ object }) => Object(object).id === id)
      assert.deepStrictEqual(events.at(-1), { type: "distill.deployment.retired", object: await get(live, id) })
      const next = await deployAndWait(live, body)
      assert.strictEqual(next.status, "ready")
      assert.strictEqual((await get(live, id)).status, "retired")
    })

    it("one that is retired while it is provisioned stays so", async () => {
      const { live, students } = await story()
      const body = { alias: "early", student_model: students[0], mode: "active", endpoint }
      const ids = await Promise.all(
        Array.from({ length: 5 }, async (_, index) => {
          const { id } = await create(live, { ...body, alias: `early-${index}` })
          expectStatus(await retire(live, id), 200)
          return id
        })
      )
      const last = await deployAndWait(live, body)
      assert.strictEqual(last.status, "ready")
      for (const id of ids) assert.strictEqual((await get(live, id)).status, "retired")
    })

    it("lists by alias, status and mode, newest first, each mode and workspace its own", async () => {
      const { live, test } = await house.workspace()
      const { fallback, students } = await scene(live)
      const body = { student_model: students[0], endpoint, fallback }
      const one = await deployAndWait(live, { ...body, alias: "one", mode: "active" })
      const shadow = await deployAndWait(live, { ...body, alias: "one", mode: "shadow" })
      const two = await deployAndWait(live, { ...body, alias: "two", mode: "active" })
      expectStatus(await retire(live, two.id), 200)
      const listed = async (query: string, caller = live) =>
        expectStatus(await caller.get<ListOf<DeploymentView>>(path + query), 200).data.map(({ id }) => id)
      assert.deepStrictEqual(await listed(""), [two.id, shadow.id, one.id])
      assert.deepStrictEqual(await listed("?alias=one"), [shadow.id, one.id])
      assert.deepStrictEqual(await listed("?mode=active"), [two.id, one.id])
      assert.deepStrictEqual(await listed("?mode=active&status=ready"), [one.id])
      assert.deepStrictEqual(await listed("?status=retired"), [two.id])
      assert.deepStrictEqual(await listed("?alias=nobody"), [])
      assert.deepStrictEqual(await listed("", test), [])
      assertInvalid(await live.get(`${path}?status=gone`), "status")
      assertRefused(await test.get(`${path}/${one.id}`), 404, "not_found_error")
      assertRefused(await test.post(`${path}/${one.id}/retire`), 404, "not_found_error")
    })
  },
  { builtin: hasty, llm: hasty }
)

onEachStorage(
  "deployments of what stubs made",
  (house) => {
    it("are none: there is nothing to serve (P78)", async () => {
      const { live } = await house.workspace()
      const { students } = await scene(live)
      const body = { alias: "stub", student_model: students[0], mode: "active", endpoint }
      assertRefused(await post(live, body), 409, "conflict_error", "student_model")
    })
  },
  { takesLiveRuns: true }
)

onEachStorage(
  "a deployment of a builtin student",
  (house) => {
    it("is ready when that one was loaded, and moves to where a language model is served and back", async () => {
      const { live } = await house.workspace()
      const { students, version } = await scene(live)
      const student_model = await studentOf(live, builtin, version)
      const first = await deployAndWait(live, { alias: "desk", student_model, mode: "active" })
      assert.deepInclude(first, { status: "ready", endpoint: null, error: null })
      assertInvalid(await patch(live, first.id, { student_model: students[0] }), "endpoint")
      const moved = expectStatus(await patch(live, first.id, { student_model: students[0], endpoint }), 200)
      assert.deepInclude(moved, { status: "ready", student_model: students[0] })
      const back = expectStatus(await rollback(live, first.id), 200)
      assert.deepInclude(back, { status: "ready", student_model, endpoint: null })
      const forth = expectStatus(await rollback(live, first.id), 200)
      assert.deepStrictEqual(forth.endpoint, moved.endpoint)
      const again = expectStatus(await patch(live, first.id, { student_model }), 200)
      assert.deepInclude(again, { student_model, endpoint: null, previous_student_model: students[0] })
    })
  },
  { builtin: BuiltinExecutor.executor, llm: hasty }
)
