/** Decisions of a deployment: by its student, by its fallback, or by both, question by question (contract 16.22 to 16.26). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { answering } from "@limbeck/testing/upstream/DecisionUpstream"
import { Models } from "@limbeck/testing/upstream/Models"
import { choice, TypeSafeClient } from "@typesafe-ai/sdk"
import OpenAI from "openai"
import { assertInvalid, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { aboutMoney, call, fallbackTo, serving, students } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const labels = [...new Set(tickets({ rows: 300, seed: 1 }).map(({ completion }) => completion))].toSorted()
const right = "refund_request"

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live, liveToken } = workspace
  const { calm, llm } = await students(live)
  const base = upstream.base(answering)
  const fallback = await fallbackTo(live, base, { models: [{ id: "gpt", input_per_million: 10 }] })
  const desk = { student_model: calm, mode: "active" }
  await deployAndWait(live, { ...desk, alias: "desk" })
  await deployAndWait(live, { ...desk, alias: "both", fallback })
  await deployAndWait(live, { ...desk, alias: "unsure", fallback: { ...fallback, below_confidence: 1 } })
  const bad = { ...fallback, model: "bad" }
  const safe = { ...desk, on_fallback_failure: "answer", fallback: { ...bad, below_confidence: 1 } }
  const { id: safeId } = await deployAndWait(live, { ...safe, alias: "safe" })
  await deployAndWait(live, { ...desk, alias: "failing", fallback: bad })
  await deployAndWait(live, { ...desk, alias: "short", fallback: { ...fallback, model: "short" } })
  await deployAndWait(live, { ...desk, alias: "none", traffic_percent: 0, fallback })
  const endpoint = { base_url: base, model: "student-1" }
  await deployAndWait(live, { alias: "end", student_model: llm, mode: "active", endpoint, fallback })
  return { base, live, liveToken, safeId, workspace }
}

/** The labels in another order and another case. */
const shown = labels.toReversed().map((label) => label.toUpperCase())
const team = { type: "choice" as const, instructions: "Which team?", choices: shown.map((value) => ({ value })) }
const angry = { type: "predicate" as const, name: "angry", instructions: "The customer is angry." }
const level = { type: "score" as const, instructions: "How urgent?", levels: [{ label: "low" }, { label: "high" }] }
const fewer = { ...team, choices: team.choices.slice(1) }

const five = [{ ...team, name: "team" }, angry, level, team, fewer]
const criteria = Object.fromEntries(shown.map((label) => [label, null]))

interface Answer {
  readonly choice?: unknown
  readonly type: string
  readonly name?: string | null
  readonly probabilities: ReadonlyArray<{ readonly value: string; readonly probability: number }>
}

interface MixedAnswer {
  readonly answers: ReadonlyArray<Answer>
  readonly model: string
  readonly usage: object
}

/** One request, without the one JSON text of a client's own. */
const body = <Questions>(alias: string, questions: Questions, fields = {}) => ({
  model: `svc:${alias}`,
  input: aboutMoney,
  questions,
  ...fields
})

const path = "/v1/proxy/decisions"

/** The student was trained under another system message. */
const otherTask = [
  { role: "system", content: "Translate the text into French." },
  { role: "user", content: aboutMoney }
]

onOneStorage(
  "decisions of a deployment",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("are its student's for a choice among its labels, as stock clients read them (P1260)", async () => {
      const { base, live, liveToken } = await story()
      const before = upstream.at(base).length
      const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
      const { data, response } = await openai.decisions
        .create({ model: "svc:desk", input: aboutMoney, questions: [{ ...team, name: "team" }, team] })
        .withResponse()
      assert.strictEqual(data.model, "svc:desk")
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      assert.strictEqual(response.headers.get("x-service-decisions"), "student=0,1")
      const [first, second] = data.answers as ReadonlyArray<unknown> as ReadonlyArray<Answer>
      assertHas(first, { type: "choice", name: "team", choice: right.toUpperCase() })
      assertHas(second, { type: "choice", name: null, choice: right.toUpperCase() })
      assert.deepStrictEqual(
        first?.probabilities.map(({ value }) => value),
        shown
      )
      const parts = first?.probabilities.map(({ probability }) => Math.round(probability * 10_000)) ?? []
      assert.strictEqual(
        parts.reduce((sum, part) => sum + part, 0),
        10_000
      )
      const { input_tokens, output_tokens, total_tokens } = data.usage
      assert.deepStrictEqual([output_tokens, total_tokens], [0, input_tokens])
      const captured = await callOf(live, response.headers)
      assertHas(captured, { endpoint: "decisions", served_by: "student", outcome: "succeeded", source: null })
      const { decisions } = captured as typeof captured & { readonly decisions: ReadonlyArray<Record<string, unknown>> }
      assert.lengthOf(decisions, 2)
      assertHas(decisions[0], { name: "team", kind: "choice", refusal: false, served_by: "student" })
      assert.match(String(decisions[0]?.["question"]), /^qst_[0-9a-z]{26}$/)
      assert.strictEqual(decisions[0]?.["question"], decisions[1]?.["question"])
      // By the options in the order of the identity.
      const sorted = first?.probabilities.toSorted((a, b) => (a.value < b.value ? -1 : 1))
      assert.deepStrictEqual(
        decisions[0]?.["probabilities"],
        sorted?.map(({ probability }) => probability)
      )

      const typesafe = new TypeSafeClient({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy` })
      const { answers, model } = await typesafe.systemOne({
        model: "svc:desk",
        state: aboutMoney,
        questions: { team: choice("Which team?", criteria as Record<string, null>) }
      })
      assert.deepStrictEqual([answers.team.choice, model], [right.toUpperCase(), "svc:desk"])
      assert.lengthOf(upstream.at(base), before)
    })

    it("are the fallback's for the other questions, asked in one request that differs in these alone (P1261)", async () => {
      const { base, live, workspace } = await story()
      // Spaces and a number that a parser would lose.
      const text = `{"questions":  ${JSON.stringify(five)}, "safety_identifier":"ü",  "seed": 12345678901234567890, "input":${JSON.stringify(aboutMoney)}, "model" :"svc:both"}`
      const answer = await call(house, workspace, text, { path })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(
        upstream.at(base).at(-1)?.body,
        text.replace(JSON.stringify(five), JSON.stringify([angry, level, fewer])).replace("svc:both", "gpt")
      )
      assert.deepStrictEqual(
        ["served-by", "decisions"].map((name) => answer.headers.get(`x-service-${name}`)),
        ["mixed", "student=0,3; upstream=1,2,4"]
      )
      assert.strictEqual(answer.headers.get("x-upstream"), "1")
      const { answers, model, usage }: MixedAnswer = JSON.parse(await answer.text())
      assert.deepStrictEqual([model, usage], ["svc:both", { input_tokens: 50, output_tokens: 0, total_tokens: 50 }])
      assert.deepStrictEqual(
        answers.map(({ choice, name, type }) => [type, name, choice]),
        [
          ["choice", "team", right.toUpperCase()],
          ["predicate", "angry", undefined],
          ["score", null, undefined],
          ["choice", null, right.toUpperCase()],
          ["choice", null, shown[1]]
        ]
      )
      const captured = await callOf(live, answer.headers)
      assertHas(captured, { served_by: "mixed", fallback_reason: "unsupported", cost_usd: 0.0005 })
      assertHas(captured.usage, { prompt_tokens: 50, completion_tokens: 0 })
      const { decisions } = captured as typeof captured & { readonly decisions: ReadonlyArray<Record<string, unknown>> }
      assert.deepStrictEqual(
        decisions.map(({ kind, served_by }) => [kind, served_by]),
        [
          ["choice", "student"],
          ["predicate", "upstream"],
          ["score", "upstream"],
          ["choice", "student"],
          ["choice", "upstream"]
        ]
      )
      assert.deepStrictEqual(decisions[1]?.["probabilities"], [0.69, 0.31])
      const { data } = (await live.get<{ data: ReadonlyArray<object> }>("/v1/distill/calls?served_by=mixed")).body
      assert.isAbove(data.length, 0)

      const questions = { b: { type: "noul", instructions: "Angry?" }, a: { type: "choice", criteria } }
      const map = { model: "svc:both", state: aboutMoney, questions }
      const mixed = await live.post<{ answers: object }>("/v1/proxy/systemone", map)
      assert.deepStrictEqual(Object.keys(mixed.body.answers), ["b", "a"])
      assertHas(Object(mixed.body.answers).a, { type: "choice", choice: right.toUpperCase() })
      assertHas(Object(mixed.body.answers).b, { type: "noul", noul: 0.31 })
      assert.strictEqual(mixed.headers.get("x-service-decisions"), "student=1; upstream=0")
      const sent = { ...map, model: "gpt", questions: { b: questions.b } }
      assert.deepStrictEqual(JSON.parse(upstream.at(base).at(-1)?.body ?? ""), sent)
    })

    it("pass as they came where the fallback answers all questions (P1262)", async () => {
      const { base, live } = await story()
      const cases = [
        [body("both", [angry, level]), "upstream_fallback", "unsupported"],
        [body("unsure", [team]), "upstream_fallback", "confidence"],
        [body("both", [team], { input: otherTask }), "upstream_fallback", "unknown_template"],
        [body("end", [team]), "upstream_fallback", "unsupported"],
        [body("none", [team]), "upstream", null]
      ] as const
      for (const [asked, servedBy, reason] of cases) {
        const answer = await live.post(path, asked)
        expectStatus(answer, 200)
        assert.deepStrictEqual(JSON.parse(upstream.at(base).at(-1)?.body ?? ""), { ...asked, model: "gpt" })
        assert.match(answer.text, /^\{\n "model"/) // With the upstream's own spaces.
        assert.strictEqual(answer.headers.get("x-service-served-by"), servedBy)
        const all = Array.from(asked.questions.keys()).join(",")
        assert.strictEqual(answer.headers.get("x-service-decisions"), `upstream=${all}`)
        assertHas(await callOf(live, answer.headers), { served_by: servedBy, fallback_reason: reason })
      }
    })

    it("make a row of the fallback's answers alone where the student gave some (P1367)", async () => {
      const { live } = await story()
      const input = `${aboutMoney}, once more`
      const answer = await live.post(path, body("both", five, { input }))
      assert.strictEqual(answer.headers.get("x-service-decisions"), "student=0,3; upstream=1,2,4")
      await callOf(live, answer.headers)
      const dataset = expectStatus(await live.post<{ id: string }>("/v1/distill/datasets", { name: "mixed" }), 201)
      const from = { calls: { text: "once more" } }
      const made = await live.post<{ id: string }>(`/v1/distill/datasets/${dataset.id}/versions`, { from })
      const at = `/v1/distill/dataset_versions/${expectStatus(made, 201).id}`
      const version = await readUntil(
        () => live.get<{ status: string; rows: number; made_of: object }>(at),
        ({ status }) => status !== "building"
      )
      assertHas(version, { status: "ready", rows: 1 })
      assertHas(version.made_of, { fallback: 1 })
      const { data } = (
        await live.get<{ data: ReadonlyArray<{ decisions: ReadonlyArray<{ kind: string }> }> }>(`${at}/rows`)
      ).body
      assert.deepStrictEqual(
        data[0]?.decisions.map(({ kind }) => kind),
        ["predicate", "score", "choice"]
      )
    })

    it("are refused for a question that nobody can answer, by its place or name (P1263)", async () => {
      const { live } = await story()
      assertInvalid(await live.post(path, body("desk", [team, angry])), "questions[1]")
      assertInvalid(await live.post(path, body("desk", [fewer])), "questions[0]")
      const booleans = { ...team, choices: [...team.choices.slice(1), { value: true }] }
      assertInvalid(await live.post(path, body("desk", [booleans])), "questions[0]")
      assertInvalid(await live.post(path, body("desk", [])), "questions")
      const questions = { team: { type: "choice", criteria }, where: { type: "box", instructions: "Where?" } }
      assertInvalid(await live.post(path, { model: "svc:desk", state: aboutMoney, questions }), "questions.where")
      const image = [{ type: "input_image", image_url: "https://example.com/a.png" }]
      const input = [{ role: "user", content: image }]
      assertInvalid(await live.post(path, body("desk", [team], { input })), "questions[0]")
      assert.strictEqual((await live.post(path, body("nobody", [team]))).status, 404)
    })

    it("are the student's after a failed fallback only where the deployment allows it and it knows all (P1264)", async () => {
      const { live, safeId, workspace } = await story()
      const failing = async (asked: object) => {
        const answer = await call(house, workspace, asked, { path })
        return { status: answer.status, text: await answer.text(), headers: answer.headers }
      }
      const saved = await live.post(path, body("safe", [team]))
      expectStatus(saved, 200)
      assert.strictEqual(saved.headers.get("x-service-served-by"), "student")
      assert.strictEqual(saved.headers.get("x-service-decisions"), "student=0")
      assertHas(await callOf(live, saved.headers), { served_by: "student", outcome: "succeeded" })
      for (const asked of [body("safe", [team, angry]), body("failing", [team, angry])]) {
        const failed = await failing(asked)
        assert.deepStrictEqual([failed.status, failed.text], [503, '{"error":  {"message": "Busy"}}'])
        assert.strictEqual(failed.headers.get("x-service-served-by"), "upstream_fallback")
        assert.isNull(failed.headers.get("x-service-decisions"))
        assertHas(await callOf(live, failed.headers), { outcome: "failed", decisions: [] })
      }
      const short = await failing(body("short", [team, angry]))
      assertHas(await callOf(live, short.headers), { outcome: "failed", status_code: 502 })
      const at = `/v1/distill/deployments/${safeId}`
      assertHas((await live.get(at)).body, { on_fallback_failure: "answer" })
      assertHas((await live.patch(at, { on_fallback_failure: "fail" })).body, { on_fallback_failure: "fail" })
      assert.strictEqual((await failing(body("safe", [team]))).status, 503)
      await live.patch(at, { on_fallback_failure: "answer" })
      assertInvalid(await live.patch(at, { on_fallback_failure: "maybe" }), "on_fallback_failure")
    })
  },
  serving
)
