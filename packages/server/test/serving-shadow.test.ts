/** A shadow student: the upstream answers, and the student's answer is compared (contract 7, 14.26). */
import { once } from "node:events"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CapturedCallDetail } from "@limbeck/api/CallsApi"
import type { DeploymentAgreement } from "@limbeck/api/DeploymentsApi"
import { type DeploymentDetail, deployAndWait, get, path } from "@limbeck/testing/http/DeploymentSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { aboutMoney, answered, asked, call, chat, fallbackTo, saidIn, serving, students } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const begin = async (house: House) => {
  const workspace = await house.workspace()
  return { workspace, live: workspace.live, students: await students(workspace.live) }
}

/** The deployment, once `shadowed` calls were compared. */
const heard = (live: Client, id: string, shadowed: number) =>
  readUntil(
    () => live.get<DeploymentDetail>(`${path}/${id}`),
    ({ figures }) => figures.shadowed >= shadowed
  )

const captured = async (live: Client, id: string) =>
  expectStatus(await live.get<typeof CapturedCallDetail.Type>(`/v1/distill/calls/${id}`), 200)

const streamOf = (content: string): string =>
  [
    ...[...content].map((piece) => ({ choices: [{ index: 0, delta: { content: piece } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat("data: [DONE]\n\n")
    .join("")

onOneStorage(
  "a student in shadow",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    const ask = async (workspace: Workspace, body: unknown) => answered(await call(house, workspace, body))

    it("lets the upstream answer, and is compared with it, over time (P83, P332)", async () => {
      const { live, students, workspace } = await story()
      const base = models.speaking(({ model }) => (model === "gpt" ? "refund_request" : "?"))
      const fallback = await fallbackTo(live, base)
      const { id } = await deployAndWait(live, {
        alias: "hush",
        student_model: students.calm,
        mode: "shadow",
        fallback
      })
      for (const content of [aboutMoney, aboutMoney, "where is my order 7, has the parcel been shipped"]) {
        const answer = await ask(workspace, asked("hush", content))
        assert.deepStrictEqual([answer.status, answer.servedBy, saidIn(answer)], [200, "shadow", "refund_request"])
      }
      const { figures } = await heard(live, id, 3)
      assert.deepInclude(figures, { shadowed: 3, shadow_failed: 0, compared: 3, agreed: 2 })
      assert.deepInclude(figures.calls, { shadow: 3, student: 0 })
      const { agreement } = expectStatus(await live.get<DeploymentDetail>(`${path}/${id}`), 200)
      const over = expectStatus(await live.get<typeof DeploymentAgreement.Type>(`${path}/${id}/agreement`), 200)
      const sum = (of: "compared" | "agreed") => over.periods.reduce((total, period) => total + period[of], 0)
      assert.deepStrictEqual([over.deployment, sum("compared"), sum("agreed")], [id, 3, 2])
      const { high, low, value } = agreement ?? {}
      assert.deepStrictEqual<unknown>(over.periods.at(-1)?.agreement, { value, low, high }, "as it is now")
      assertRefused(await live.get(`${path}/dep_none/agreement`), 404, "not_found_error")
    })

    it("agrees with an upstream that writes the same label otherwise, as in its report (P250)", async () => {
      const { live, students, workspace } = await story()
      const writings = ["Refund_Request.", " refund_request", "refund request"]
      let calls = 0
      const fallback = await fallbackTo(
        live,
        models.speaking(() => writings[calls++] ?? "")
      )
      const body = { alias: "hush.label", student_model: students.calm, mode: "shadow", fallback }
      const { id } = await deployAndWait(live, body)
      for (const _ of writings) await ask(workspace, asked("hush.label", aboutMoney))
      assert.deepInclude((await heard(live, id, 3)).figures, { compared: 3, agreed: 2 })
    })

    it("is compared with a stream too, and with an answer that is packed", async () => {
      const { live, students, workspace } = await story()
      const whole = { choices: [{ index: 0, message: { role: "assistant", content: "refund_request" } }] }
      const zipped = { "content-type": "application/json", "content-encoding": "gzip" }
      let calls = 0
      const base = models.base((_, response) => {
        if (calls++ > 0) response.writeHead(200, zipped).end(gzipSync(JSON.stringify(whole)))
        else response.writeHead(200, { "content-type": "text/event-stream" }).end(streamOf("refund_request"))
      })
      const fallback = await fallbackTo(live, base)
      const { id } = await deployAndWait(live, {
        alias: "hush.stream",
        student_model: students.calm,
        mode: "shadow",
        fallback
      })
      const answer = await ask(workspace, asked("hush.stream", aboutMoney, { stream: true }))
      assert.deepInclude(answer, { servedBy: "shadow", text: streamOf("refund_request") })
      assert.deepInclude((await heard(live, id, 1)).figures, { compared: 1, agreed: 1 })
      const { shadow_results } = await captured(live, answer.call)
      assert.lengthOf(shadow_results, 1)
      assert.deepInclude(shadow_results[0], {
        deployment: id,
        error: null,
        agrees: true,
        message: { role: "assistant", content: "refund_request" }
      })
      const packed = await ask(workspace, asked("hush.stream"))
      assert.strictEqual(saidIn(packed), "refund_request")
      assert.deepInclude((await heard(live, id, 2)).figures, { compared: 2, agreed: 2 })
    })

    it("at an endpoint is asked the same, and nobody waits for it (P83)", async () => {
      const { live, students, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("yes"))
      let answerNow = () => {}
      const released = new Promise<void>((resolve) => {
        answerNow = resolve
      })
      const base_url = models.base(async (_, response) => {
        await released
        const message = { role: "assistant", content: "yes" }
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({ choices: [{ index: 0, message }] }))
      })
      const endpoint = { base_url, model: "student-1" }
      const body = { alias: "hush.end", student_model: students.llm, mode: "shadow", fallback, endpoint }
      const { id } = await deployAndWait(live, body)
      const answer = await ask(workspace, asked("hush.end", "may I?"))
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["shadow", "yes"])
      answerNow()
      assert.deepInclude((await heard(live, id, 1)).figures, { shadow_failed: 0, compared: 1, agreed: 1 })
      assert.strictEqual(JSON.parse(models.at(base_url)[0]?.body ?? "").model, "student-1")
    })

    it("that fails is counted, and the answer is as ever (P83)", async () => {
      const { live, students, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("yes"))
      const endpoint = { base_url: Models.closed, model: "student-1" }
      const body = { alias: "hush.dead", student_model: students.llm, mode: "shadow", fallback, endpoint }
      const { id } = await deployAndWait(live, body)
      assert.strictEqual(saidIn(await ask(workspace, asked("hush.dead"))), "yes")
      assert.deepInclude((await heard(live, id, 1)).figures, { shadow_failed: 1, compared: 0 })
    })

    it("is compared with nothing where the upstream failed or the client left, and asked all the same", async () => {
      const { live, students, workspace } = await story()
      const failing = await fallbackTo(
        live,
        models.base((_, response) => void response.writeHead(500).end("no"))
      )
      const dead = await fallbackTo(live, Models.closed)
      const body = { alias: "hush.failed", student_model: students.calm, mode: "shadow", fallback: failing }
      const failed = await deployAndWait(live, body)
      assert.deepInclude(await ask(workspace, asked("hush.failed")), { status: 500, servedBy: "shadow", text: "no" })
      assert.deepInclude((await heard(live, failed.id, 1)).figures, { compared: 0, shadow_failed: 0 })
      await deployAndWait(live, { ...body, alias: "hush.away", fallback: dead })
      assertRefused(await live.post(chat, asked("hush.away")), 502, "api_error")

      let closed: Promise<unknown> = Promise.resolve()
      const endless = models.base((_, response) => {
        closed = once(response, "close")
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n")
      })
      const left = await deployAndWait(live, { ...body, alias: "hush.left", fallback: await fallbackTo(live, endless) })
      const leaving = new AbortController()
      const answer = await call(house, workspace, asked("hush.left"), { signal: leaving.signal })
      await answer.body?.getReader().read()
      leaving.abort()
      await closed
      assert.deepInclude((await heard(live, left.id, 1)).figures, { compared: 0, shadow_failed: 0 })
    })

    it("listens to an active student as well, and needs no fallback for it; alone and without one its calls are refused (P480)", async () => {
      const { live, students, workspace } = await story()
      const alias = "hush.challenger"
      const active = await deployAndWait(live, { alias, student_model: students.calm, mode: "active" })
      const made = await deployAndWait(live, { alias, student_model: students.loud, mode: "shadow" })
      assert.deepInclude(made, { fallback: null, agreement: null })
      assert.strictEqual((await ask(workspace, asked(alias))).servedBy, "student")
      assert.deepInclude((await heard(live, made.id, 1)).figures, { compared: 1, agreed: 1 })
      const retired = expectStatus(await live.post<DeploymentDetail>(`${path}/${active.id}/retire`), 200)
      assert.deepInclude(retired, { status: "retired", agreement: null })
      const alone = await ask(workspace, asked(alias))
      assert.deepInclude(alone, { status: 400, servedBy: null })
      assert.nestedPropertyVal(alone.body, "error.param", "model")
    })

    it("listens to an active student as well, to its share, and not to what is not captured", async () => {
      const { live, students, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("refund_request"))
      const secret = await fallbackTo(live, models.speaking("refund_request"), { capture: { enabled: false } })
      const alias = "hush.both"
      const active = await deployAndWait(live, { alias, student_model: students.calm, mode: "active" })
      const shadow = await deployAndWait(live, { alias, student_model: students.loud, mode: "shadow", fallback })
      const answer = await ask(workspace, asked(alias))
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["student", "refund_request"])
      assert.strictEqual(answer.body.service.deployment, active.id)
      // It says the same label, in capitals.
      assert.deepInclude((await heard(live, shadow.id, 1)).figures, { compared: 1, agreed: 1 })

      const body = { student_model: students.calm, mode: "shadow" }
      const none = await deployAndWait(live, { ...body, alias: "hush.none", fallback, traffic_percent: 0 })
      const quiet = await deployAndWait(live, { ...body, alias: "hush.quiet", fallback: secret })
      for (const silent of ["hush.none", "hush.quiet"]) {
        assert.strictEqual((await ask(workspace, asked(silent))).servedBy, "upstream")
      }
      // Whatever was to be written down before this is by now.
      await ask(workspace, asked(alias))
      await heard(live, shadow.id, 2)
      for (const { id } of [none, quiet]) assert.strictEqual((await get(live, id)).figures.shadowed, 0)
    })
  },
  serving
)
