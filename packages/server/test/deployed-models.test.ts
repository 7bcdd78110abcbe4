// @effect-diagnostics globalFetch:off
/** Deployments in the proxy's list of models, and on the page of their loop (contract 4, 7). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Loop, LoopWithLatest } from "@limbeck/api/LoopsApi"
import {
  create,
  deployAndWait,
  endpoint,
  hasty,
  llm,
  path,
  scene,
  studentOf
} from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"

interface Listed {
  readonly object: string
  readonly data: ReadonlyArray<{ readonly id: string; readonly object: string; readonly owned_by?: string }>
}

const idsOf = ({ data }: Listed) => data.map(({ id }) => id)

const listOf = async (caller: Client, source?: string) =>
  expectStatus(
    await caller.get<Listed>("/v1/proxy/models", source === undefined ? {} : { "x-service-source": source }),
    200
  )

/** `one` is deployed twice, `two` once; `gone` is retired. */
const populate = async (live: Client, house: House) => {
  const { fallback, students } = await scene(live)
  const body = { student_model: students[0], endpoint, fallback }
  const one = await deployAndWait(live, { ...body, alias: "one", mode: "active" })
  house.passTime(1_000)
  await deployAndWait(live, { ...body, alias: "one", mode: "shadow" })
  await deployAndWait(live, { ...body, alias: "two", mode: "shadow" })
  const gone = await deployAndWait(live, { ...body, alias: "gone", mode: "active" })
  expectStatus(await live.post(`${path}/${gone.id}/retire`), 200)
  return one
}

describe("an upstream of one's own", () => {
  const models = new Models()
  beforeAll(() => models.open())
  afterAll(() => models.close())

  onOneStorage(
    "the models of the proxy",
    (house) => {
      it("are those of the source, whatever its kind, and then each alias once", async () => {
        const { live } = await house.workspace()
        const one = await populate(live, house)
        const ours = ["svc:one", "svc:two"]
        const base_url = models.speaking("yes", ["gpt", "mini"])
        const { id: byok } = await createSource(live, { base_url })
        const { id: managed } = await createSource(live, { base_url, kind: "managed", models: ["big"] })
        const listed = await listOf(live, byok)
        assert.strictEqual(listed.object, "list")
        assert.deepStrictEqual(idsOf(listed), ["gpt", "mini", ...ours])
        assert.deepStrictEqual<unknown>(listed.data[2], {
          id: "svc:one",
          object: "model",
          created: Math.floor(Date.parse(one.created_at) / 1_000),
          owned_by: "deployment",
          type: "model",
          display_name: "svc:one",
          created_at: one.created_at
        })
        assert.deepStrictEqual(idsOf(await listOf(live, managed)), ["big", ...ours])
      })

      it("are what is deployed where there is no source to ask, and a source that is not there is refused", async () => {
        const { live, test } = await house.workspace()
        assertInvalid(await live.get("/v1/proxy/models"), "X-Service-Source")
        await populate(live, house)
        assert.deepStrictEqual(idsOf(await listOf(live)), ["svc:one", "svc:two"])
        assertInvalid(await live.get("/v1/proxy/models", { "x-service-source": "nobody" }), "X-Service-Source")
        assertInvalid(await test.get("/v1/proxy/models"), "X-Service-Source")
      })

      it("are whatever the upstream says where it says no list", async () => {
        const { live, liveToken } = await house.workspace()
        await populate(live, house)
        const answers = [
          [200, `{"data": 5, "more":  true}`],
          [200, "[1,  2]"],
          [401, `{"error":  {"message": "Incorrect key"}}`]
        ] as const
        for (const [status, text] of answers) {
          const base_url = models.base((_, response) =>
            response.writeHead(status, { "content-type": "text/plain" }).end(text)
          )
          const { id } = await createSource(live, { base_url })
          const answer = await fetch(`${house.origin}/v1/proxy/models`, {
            headers: { authorization: `Bearer ${liveToken}`, "x-service-source": id }
          })
          assert.deepStrictEqual([answer.status, await answer.text()], [status, text])
        }
      })

      it("are JSON by their type, also of a source that names none (P1722)", async () => {
        const { live, liveToken } = await house.workspace()
        await populate(live, house)
        const base_url = models.base((_, response) => response.end('{"data": [{"id": "gpt"}]}'))
        const { id } = await createSource(live, { base_url })
        const answer = await fetch(`${house.origin}/v1/proxy/models`, {
          headers: { authorization: `Bearer ${liveToken}`, "x-service-source": id }
        })
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        const { data } = (await answer.json()) as Listed // The server's own list.
        assert.deepStrictEqual(
          data.map(({ id }) => id),
          ["gpt", "svc:one", "svc:two"]
        )
      })
    },
    { builtin: hasty, llm: hasty, egressAllow: ["127.0.0.0/8"] }
  )
})

onOneStorage(
  "a deployment of a loop",
  (house) => {
    it("is the latest on the loop's page, until a newer one is, and whatever has become of it", async () => {
      const { live } = await house.workspace()
      const loop = expectStatus(await live.post<typeof Loop.Type>("/v1/distill/loops", { name: "desk" }), 201).id
      const latest = async () =>
        expectStatus(await live.get<typeof LoopWithLatest.Type>(`/v1/distill/loops/${loop}`), 200).latest.deployment
      const { id: version } = await ticketsVersion(live)
      const body = { student_model: await studentOf(live, llm, version, { loop }), mode: "active", endpoint }
      const stray = { ...body, student_model: await studentOf(live, llm, version) }
      assert.isNull(await latest())
      const first = await deployAndWait(live, { ...body, alias: "first" })
      assert.strictEqual(first.loop, loop)
      const { created_at, id, status } = first
      assert.deepStrictEqual(await latest(), { id, status, created_at })
      const second = await deployAndWait(live, { ...body, alias: "second" })
      assert.isNull((await create(live, { ...stray, alias: "stray" })).loop)
      assert.strictEqual((await latest())?.id, second.id)
      expectStatus(await live.post(`${path}/${second.id}/retire`), 200)
      assert.strictEqual((await latest())?.status, "retired")
      assertRefused(await live.get("/v1/distill/loops/loop_none"), 404, "not_found_error")
    })
  },
  { builtin: hasty, llm: hasty }
)
