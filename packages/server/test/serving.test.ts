/** `svc:` models answered by a student in this process, or by its upstream (contract 7, 14.26). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CapturedCallDetail } from "@limbeck/api/CallsApi"
import { type DeploymentView, deployAndWait, path } from "@limbeck/testing/http/DeploymentSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import {
  aboutMoney,
  answered,
  asked,
  type Completion,
  call,
  chat,
  fallbackTo,
  questions,
  saidIn,
  serving,
  students
} from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const begin = async (house: House) => {
  const workspace = await house.workspace()
  return { workspace, live: workspace.live, students: await students(workspace.live) }
}

const patch = async (live: Client, { id }: DeploymentView, body: unknown) =>
  expectStatus(await live.patch<DeploymentView>(`${path}/${id}`, body), 200)

const captured = async (live: Client, id: string) =>
  expectStatus(await live.get<typeof CapturedCallDetail.Type>(`/v1/distill/calls/${id}`), 200)

/** The data lines of a stream. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""))

interface Chunk extends Omit<Completion, "choices"> {
  readonly choices: ReadonlyArray<{
    readonly index: number
    readonly delta: { readonly role?: string; readonly content?: string }
    readonly finish_reason: string | null
  }>
}

const chunksOf = (text: string): ReadonlyArray<Chunk> =>
  linesOf(text)
    .filter((line) => line !== "[DONE]")
    .map((line): Chunk => JSON.parse(line))

onOneStorage(
  "a student that is served here",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    const ask = async (workspace: Workspace, body: unknown, headers = {}) =>
      answered(await call(house, workspace, body, { headers }))

    it("answers as a chat completion, and says who and how sure it is", async () => {
      const { live, students, workspace } = await story()
      const { id } = await deployAndWait(live, { alias: "desk", student_model: students.calm, mode: "active" })
      const answer = await ask(workspace, asked("desk"), { "x-service-external-id": "order 5" })
      assert.deepInclude(answer, { status: 200, servedBy: "student" })
      const { body } = answer
      assert.deepInclude(body, {
        id: `chatcmpl-${answer.call.replace("call_", "")}`,
        object: "chat.completion",
        model: "svc:desk"
      })
      assert.strictEqual(saidIn(answer), "refund_request")
      assert.deepInclude(body.choices[0], { index: 0, finish_reason: "stop" })
      assert.lengthOf(body.choices, 1)
      assert.deepInclude(body.service, { deployment: id, student_model: students.calm })
      assert.isTrue(body.service.confidence > 0.3 && body.service.confidence <= 1)
      const { completion_tokens, prompt_tokens, total_tokens } = body.usage
      assert.isTrue(prompt_tokens > 5 && completion_tokens > 1 && total_tokens === prompt_tokens + completion_tokens)
    })

    it("knows most tickets that it has never seen", async () => {
      const { live, students, workspace } = await story()
      await deployAndWait(live, { alias: "desk.many", student_model: students.calm, mode: "active" })
      const answers = await Promise.all(
        questions.map(async ({ completion, messages }) => {
          const answer = await ask(workspace, { model: "svc:desk.many", messages })
          return saidIn(answer) === completion
        })
      )
      assert.isAbove(answers.filter((right) => right).length, questions.length / 2)
    })

    it("streams role, text and end, and what was counted for who asks", async () => {
      const { live, students, workspace } = await story()
      await deployAndWait(live, { alias: "desk.stream", student_model: students.calm, mode: "active" })
      const plain = await ask(workspace, asked("desk.stream", aboutMoney, { stream: true }))
      assert.deepInclude(plain, { status: 200, servedBy: "student" })
      assert.strictEqual(linesOf(plain.text).at(-1), "[DONE]")
      const chunks = chunksOf(plain.text)
      assert.deepStrictEqual(
        chunks.map(({ choices: [choice] }) => [choice?.delta.role, choice?.delta.content, choice?.finish_reason]),
        [
          ["assistant", "", null],
          [undefined, "refund_request", null],
          [undefined, undefined, "stop"]
        ]
      )
      for (const chunk of chunks) {
        assert.deepInclude<object>(chunk, {
          object: "chat.completion.chunk",
          model: "svc:desk.stream",
          id: chunks[0]?.id
        })
        assert.notProperty(chunk, "usage")
      }
      const counted = await ask(
        workspace,
        asked("desk.stream", aboutMoney, { stream: true, stream_options: { include_usage: true } })
      )
      const last = chunksOf(counted.text).at(-1)
      assert.isEmpty(last?.choices)
      assert.isAbove(last?.usage.total_tokens ?? 0, 5)
    })

    it("gives as many choices as it is asked for, and reads nothing but texts", async () => {
      const { live, students, workspace } = await story()
      await deployAndWait(live, { alias: "desk.n", student_model: students.calm, mode: "active" })
      const parts = [
        { type: "text", text: aboutMoney },
        { type: "image_url", image_url: { url: "data:," } }
      ]
      const body = {
        model: "svc:desk.n",
        n: 2,
        messages: [{ role: "user", content: parts }],
        tools: [{}],
        logprobs: true
      }
      const answer = await ask(workspace, body)
      assert.deepStrictEqual(
        answer.body.choices.map(({ index, message }) => [index, message.content]),
        [
          [0, "refund_request"],
          [1, "refund_request"]
        ]
      )
    })

    it("refuses what it cannot read, names the field, and has no embeddings", async () => {
      const { live, students, workspace } = await story()
      await deployAndWait(live, { alias: "desk.odd", student_model: students.calm, mode: "active" })
      const model = "svc:desk.odd"
      const message = { role: "user", content: "hello" }
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ model }, "messages"],
        [{ model, messages: [] }, "messages"],
        [{ model, messages: "hello" }, "messages"],
        [{ model, messages: [message, "hello"] }, "messages[1]"],
        [{ model, messages: [{ content: "hello" }] }, "messages[0].role"],
        [{ model, messages: [message], n: 0 }, "n"],
        [{ model, messages: [message], n: 129 }, "n"],
        [{ model, messages: [message], stream: "yes" }, "stream"]
      ]
      for (const [body, param] of cases) {
        const answer = await live.post(chat, body)
        assertRefused(answer, 400, "invalid_request_error", param)
        assert.isNull(answer.headers.get("x-service-served-by"))
      }
      const embedded = await live.post("/v1/proxy/embeddings", { model, input: "hello" })
      assertRefused(embedded, 400, "invalid_request_error", "model")
      for (const name of ["embeddings", "responses"]) {
        assertRefused(await live.post(`/v1/proxy/${name}`, { model: "svc:nobody" }), 404, "not_found_error")
      }
      const answer = await ask(workspace, { model, messages: [{ role: "user", content: null }] })
      assert.strictEqual(answer.status, 200)
    })

    it("is unknown to other workspaces and to test mode", async () => {
      const { live, students, workspace } = await story()
      await deployAndWait(live, { alias: "desk.mine", student_model: students.calm, mode: "active" })
      const { live: stranger } = await house.workspace()
      for (const caller of [stranger, workspace.test]) {
        assertRefused(await caller.post(chat, asked("desk.mine")), 404, "not_found_error")
      }
      for (const alias of ["desk.theirs", "", "DESK.MINE", "desk.mine ", "desk\u0000", "\ud800", "a".repeat(100_000)]) {
        const answer = await live.post(chat, asked(alias))
        assertRefused(answer, 404, "not_found_error")
        assert.isBelow(answer.text.length, 1_000)
      }
    })

    it("an answer that it is not sure of comes from the fallback, and from itself while there is none (P81)", async () => {
      const { live, students, workspace } = await story()
      const said = upstream.speaking("a human would know")
      const fallback = { ...(await fallbackTo(live, said)), below_confidence: 0.999999 }
      await deployAndWait(live, { alias: "desk.unsure", student_model: students.calm, mode: "active", fallback })
      const answer = await ask(workspace, asked("desk.unsure"))
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "a human would know"])
      assert.strictEqual(answer.body.model, "gpt")
      const broken = [Models.closed, upstream.base((_, response) => void response.writeHead(500).end("no"))]
      for (const [index, base] of broken.entries()) {
        const alias = `desk.unsure-${index}`
        const other = { ...(await fallbackTo(live, base)), below_confidence: 0.999999 }
        await deployAndWait(live, { alias, student_model: students.calm, mode: "active", fallback: other })
        const stands = await ask(workspace, asked(alias))
        assert.deepStrictEqual([stands.servedBy, saidIn(stands)], ["student", "refund_request"])
      }
    })

    it("is captured with who answered, why, and how sure the student was", async () => {
      const { live, students, workspace } = await story()
      const base = upstream.speaking("from above")
      const models = [{ id: "gpt", input_per_million: 1_000, output_per_million: 2_000 }]
      const unsure = { ...(await fallbackTo(live, base, { models })), below_confidence: 0.999999 }
      const body = { alias: "desk.kept", student_model: students.calm, mode: "active" }
      const { id: deployment, ...rest } = await deployAndWait(live, body)
      const own = await ask(workspace, asked("desk.kept", aboutMoney, { stream: true }), { "x-service-tags": "a" })
      const { confidence } = chunksOf(own.text)[0]?.service ?? {}
      const kept = await captured(live, own.call)
      assert.deepInclude<object>(kept, {
        served_by: "student",
        deployment,
        source: null,
        fallback_reason: null,
        confidence
      })
      assert.deepInclude(kept, {
        model: "svc:desk.kept",
        outcome: "succeeded",
        streamed: true,
        cost_usd: null,
        tags: ["a"]
      })
      assert.strictEqual(saidIn({ body: kept.response as Completion }), "refund_request")

      await patch(live, { id: deployment, ...rest }, { fallback: unsure })
      const other = await ask(workspace, asked("desk.kept"))
      const fallen = await captured(live, other.call)
      assert.deepInclude<object>(fallen, {
        served_by: "upstream_fallback",
        deployment,
        fallback_reason: "confidence",
        confidence
      })
      assert.deepInclude<object>(fallen, { source_name: unsure.source, cost_usd: (11 * 1_000 + 3 * 2_000) / 1_000_000 })
    })

    it("leaves calls that offer tools to the fallback", async () => {
      const { live, students, workspace } = await story()
      const fallback = await fallbackTo(live, upstream.speaking("called"))
      await deployAndWait(live, { alias: "desk.tools", student_model: students.calm, mode: "active", fallback })
      const tools = [{ type: "function", function: { name: "look_up" } }]
      const answer = await ask(workspace, asked("desk.tools", aboutMoney, { tools }))
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "called"])
      const none = await ask(workspace, asked("desk.tools", aboutMoney, { tools, tool_choice: "none" }))
      assert.deepStrictEqual([none.servedBy, saidIn(none)], ["student", "refund_request"])
    })

    it("has its share of the traffic, the same conversations whenever they call, and the rest is the upstream's (P79)", async () => {
      const { live, students, workspace } = await story()
      const base = upstream.speaking("from above")
      const fallback = await fallbackTo(live, base)
      const body = { alias: "desk.half", student_model: students.calm, mode: "active", fallback, traffic_percent: 40 }
      const deployment = await deployAndWait(live, body)
      const conversations = Array.from({ length: 60 }, (_, index) => `conversation ${index}`)
      const sides = async () =>
        Promise.all(
          conversations.map(async (id) => {
            const { servedBy } = await ask(workspace, asked("desk.half"), { "x-service-external-id": id })
            return servedBy
          })
        )
      const first = await sides()
      const isStudents = (servedBy: string | null) => servedBy === "student"
      assert.isTrue(first.some(isStudents))
      assert.isTrue(first.every((servedBy) => isStudents(servedBy) || servedBy === "upstream"))
      assert.lengthOf(upstream.at(base), first.filter((servedBy) => servedBy === "upstream").length)
      assert.deepStrictEqual(await sides(), first)
      await patch(live, deployment, { traffic_percent: 80 })
      const more = await sides()
      assert.isAbove(more.filter(isStudents).length, first.filter(isStudents).length)
      for (const [index, servedBy] of first.entries())
        if (isStudents(servedBy)) assert.strictEqual(more[index], "student")
      await patch(live, deployment, { traffic_percent: 0 })
      assert.isTrue((await sides()).every((servedBy) => servedBy === "upstream"))
    })

    it("what goes to the upstream is the request with the upstream's model, and back comes its answer byte for byte (P84)", async () => {
      const { live, students, workspace } = await story()
      const bytes = '{ "choices":[ ],  "é": "\\u00e9" }'
      const base = upstream.base((_, response) => response.writeHead(203, { "x-own": "yes" }).end(bytes))
      const fallback = await fallbackTo(live, base)
      const body = { alias: "desk.bytes", student_model: students.calm, mode: "active", fallback, traffic_percent: 0 }
      await deployAndWait(live, body)
      const sent = '{ "messages" : [],\n "model":"svc:desk.bytes", "é": "\\u00e9", "n": 1.0 }'
      const response = await call(house, workspace, sent, { headers: { "openai-beta": "x" }, path: `${chat}?v=1` })
      assert.strictEqual(response.headers.get("x-own"), "yes")
      assert.deepInclude(await answered(response), { status: 203, servedBy: "upstream", text: bytes })
      const [seen] = upstream.at(base)
      assert.strictEqual(seen?.body, sent.replace("svc:desk.bytes", "gpt"))
      assert.match(seen?.path ?? "", /\/chat\/completions\?v=1$/)
      assert.strictEqual(seen?.headers["openai-beta"], "x")
    })

    it("moves to another student and back without a call that fails or waits for the old one (P82)", async () => {
      const { live, students, workspace } = await story()
      const deployment = await deployAndWait(live, {
        alias: "desk.moves",
        student_model: students.calm,
        mode: "active"
      })
      let isOver = false
      const heard: Array<string> = []
      const client = async () => {
        while (!isOver) {
          const answer = await ask(workspace, asked("desk.moves"))
          heard.push(answer.status === 200 ? (saidIn(answer) ?? "") : answer.text)
        }
      }
      const clients = [client(), client(), client(), client()]
      const says = async () => saidIn(await ask(workspace, asked("desk.moves")))
      for (let round = 0; round < 3; round++) {
        await patch(live, deployment, { student_model: students.loud })
        assert.strictEqual(await says(), "REFUND_REQUEST")
        expectStatus(await live.post(`${path}/${deployment.id}/rollback`), 200)
        assert.strictEqual(await says(), "refund_request")
      }
      isOver = true
      await Promise.all(clients)
      assert.isAbove(heard.length, 10)
      assert.sameMembers([...new Set(heard)], ["refund_request", "REFUND_REQUEST"])
    })

    it("is gone from the moment that it is retired, and there again when another takes the alias (P82)", async () => {
      const { live, students, workspace } = await story()
      const deployment = await deployAndWait(live, { alias: "desk.gone", student_model: students.calm, mode: "active" })
      assert.strictEqual((await ask(workspace, asked("desk.gone"))).status, 200)
      expectStatus(await live.post(`${path}/${deployment.id}/retire`), 200)
      assertRefused(await live.post(chat, asked("desk.gone")), 404, "not_found_error")
      await deployAndWait(live, { alias: "desk.gone", student_model: students.loud, mode: "active" })
      assert.strictEqual(saidIn(await ask(workspace, asked("desk.gone"))), "REFUND_REQUEST")
    })
  },
  serving
)
