/** Unanswered calls of a deployment are captured as the deployment's (contract 6, 7). */
import { once } from "node:events"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { deployAndWait, get, llm, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { readUntil, ticketsVersion } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type CallView as Call, listed } from "./support/Captured.ts"
import type { Client } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { answered, asked, call, fallbackTo, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const { id: version } = await ticketsVersion(live)
  const dead = Models.closed
  return { workspace, live, student: await studentOf(live, llm, version), dead, fallback: await fallbackTo(live, dead) }
}

const capturedAs = async (live: Client, alias: string): Promise<Call> => {
  const read = () => live.get<{ readonly data: ReadonlyArray<Call> }>(`/v1/distill/calls?model=svc:${alias}`)
  return (await readUntil(read, ({ data }) => data.length > 0)).data[0]!
}

onOneStorage(
  "a call of a deployment that nobody answered",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("says which deployment it was of, and who was asked last (P105)", async () => {
      const { dead, fallback, live, student, workspace } = await story()
      const endpoint = { base_url: dead, model: "student-1" }
      const cases = [
        { alias: "alone", mode: "active", served_by: "student", reason: null, source: null, fields: {} },
        {
          alias: "both",
          mode: "active",
          served_by: "upstream_fallback",
          reason: "failed",
          source: fallback.source,
          fields: { fallback }
        },
        {
          alias: "rest",
          mode: "active",
          served_by: "upstream",
          reason: null,
          source: fallback.source,
          fields: { fallback, traffic_percent: 0 }
        },
        {
          alias: "hush",
          mode: "shadow",
          served_by: "upstream",
          reason: null,
          source: fallback.source,
          fields: { fallback }
        }
      ]
      for (const { alias, fields, mode, reason, served_by, source } of cases) {
        const { id } = await deployAndWait(live, { alias, mode, student_model: student, endpoint, ...fields })
        const answer = await answered(await call(house, workspace, asked(alias)))
        assert.deepStrictEqual([answer.status, answer.servedBy], [502, null])
        assert.deepInclude<object>(await capturedAs(live, alias), {
          id: answer.call,
          model: `svc:${alias}`,
          deployment: id,
          served_by,
          source_name: source,
          fallback_reason: reason,
          outcome: "failed",
          status_code: 502,
          response: null
        })
        const { figures } = await get(live, id)
        assert.strictEqual(figures.failed, 1, alias)
      }
    })

    it("says so too where the client left before (P105)", async () => {
      const { live, student, workspace } = await story()
      const leaving = new AbortController()
      let closed: Promise<unknown> = Promise.resolve()
      const base_url = models.base((_, response) => {
        closed = once(response, "close")
        leaving.abort()
      })
      const body = { alias: "left", mode: "active", student_model: student, endpoint: { base_url, model: "student-1" } }
      const { id } = await deployAndWait(live, body)
      await call(house, workspace, asked("left"), { signal: leaving.signal }).catch(() => {})
      await closed
      assert.deepInclude<object>(await capturedAs(live, "left"), {
        deployment: id,
        served_by: "student",
        outcome: "aborted",
        status_code: null
      })
    })

    it("is kept as its source says (P105)", async () => {
      const { dead, live, student, workspace } = await story()
      const secret = await fallbackTo(live, dead, { capture: { enabled: false } })
      const endpoint = { base_url: dead, model: "student-1" }
      const body = { mode: "active", student_model: student, endpoint }
      await deployAndWait(live, { ...body, alias: "secret", fallback: secret })
      await deployAndWait(live, { ...body, alias: "after" })
      for (const alias of ["secret", "after"]) {
        assert.strictEqual((await answered(await call(house, workspace, asked(alias)))).status, 502)
      }
      await capturedAs(live, "after")
      assert.deepStrictEqual((await listed(live, "?model=svc:secret")).data, [])
    })
  },
  serving
)
