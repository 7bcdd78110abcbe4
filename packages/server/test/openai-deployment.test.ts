/** The stock `openai` client, served by a student under `svc:<alias>` as by any other model (contract 7). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import OpenAI from "openai"
import { type House, onOneStorage } from "./support/House.ts"
import { assertError, assertHas, callOf, capturedUsage, failureOf } from "./support/Provider.ts"
import { aboutMoney, fallbackTo, serving, students } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const question = { messages: [{ role: "user" as const, content: aboutMoney }] }

const begin = async (house: House) => {
  const { live, liveToken } = await house.workspace()
  const { calm } = await students(live)
  const fallback = await fallbackTo(live, upstream.speaking("what the upstream says"), { default: true })
  const desk = { student_model: calm, mode: "active" }
  await deployAndWait(live, { ...desk, alias: "desk" })
  await deployAndWait(live, { ...desk, alias: "unsure", fallback: { ...fallback, below_confidence: 1 } })
  await deployAndWait(live, { ...desk, alias: "listening", mode: "shadow", fallback })
  const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  return { live, openai }
}

onOneStorage(
  "the openai client is served",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("by the student, and its call is captured as it was", async () => {
      const { live, openai } = await story()
      const { data, response } = await openai.chat.completions.create({ ...question, model: "svc:desk" }).withResponse()
      assert.strictEqual(data.choices[0]?.message.content, "refund_request")
      assert.strictEqual(data.choices[0]?.finish_reason, "stop")
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      const call = await callOf(live, response.headers)
      assertHas(call, { served_by: "student", outcome: "succeeded", model: "svc:desk", response: data })
    })

    it("by the student in a stream, that is captured as the completion it is (P73)", async () => {
      const { live, openai } = await story()
      const asked = { ...question, model: "svc:desk", stream_options: { include_usage: true } }
      const { data, response } = await openai.chat.completions.create({ ...asked, stream: true }).withResponse()
      let text = ""
      let usage: OpenAI.CompletionUsage | null | undefined
      for await (const chunk of data) {
        text += chunk.choices[0]?.delta.content ?? ""
        usage = chunk.usage ?? usage
      }
      assert.strictEqual(text, "refund_request")
      const call = await callOf(live, response.headers)
      assert.isOk(usage)
      assertHas(call, { served_by: "student", streamed: true, usage: capturedUsage(usage) })
      const whole = call.response as OpenAI.ChatCompletion
      assertHas(whole, { object: "chat.completion", usage })
      assertHas(whole.choices[0], { finish_reason: "stop" })
      assert.strictEqual(whole.choices[0]?.message.content, text)
      assertHas(await openai.chat.completions.stream(asked).finalChatCompletion(), { model: "svc:desk" })
    })

    it("by the upstream where the student is unsure, or only listens", async () => {
      const { openai } = await story()
      for (const [model, who] of [
        ["svc:unsure", "upstream_fallback"],
        ["svc:listening", "shadow"]
      ] as const) {
        const { data, response } = await openai.chat.completions.create({ ...question, model }).withResponse()
        assert.strictEqual(data.choices[0]?.message.content, "what the upstream says")
        assert.strictEqual(response.headers.get("x-service-served-by"), who)
      }
    })

    it("a list of models that holds what is deployed", async () => {
      const { openai } = await story()
      const ids: Array<string> = []
      for await (const { id } of openai.models.list()) ids.push(id)
      assert.includeMembers(ids, ["gpt", "svc:desk", "svc:unsure", "svc:listening"])
    })

    it("one model that is deployed, and a refusal where none is (P265)", async () => {
      const { openai } = await story()
      assertHas(await openai.models.retrieve("svc:desk"), { id: "svc:desk", object: "model", owned_by: "deployment" })
      const nobody = await failureOf(openai.models.retrieve("svc:nobody"))
      assertHas(assertError(nobody, OpenAI.NotFoundError), { status: 404, code: "not_found_error" })
    })

    it("a refusal of its own class where a student cannot answer", async () => {
      const { openai } = await story()
      const embedding = await failureOf(openai.embeddings.create({ model: "svc:desk", input: "a" }))
      assertHas(assertError(embedding, OpenAI.BadRequestError), { status: 400, param: "model" })
      const legacy = await failureOf(openai.completions.create({ model: "svc:desk", prompt: "a" }))
      assertHas(assertError(legacy, OpenAI.BadRequestError), { status: 400, param: "model" })
      const nobody = await failureOf(openai.chat.completions.create({ ...question, model: "svc:nobody" }))
      assertHas(assertError(nobody, OpenAI.NotFoundError), { status: 404, code: "not_found_error" })
    })
  },
  serving
)
