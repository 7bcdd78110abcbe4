/** A student of decisions under its guard: each question is verified and guarded by itself (contract 16.28, 16.29). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import {
  type DeploymentDetail,
  deployAndWait,
  deploymentEvents,
  get,
  path
} from "@limbeck/testing/http/DeploymentSteps"
import * as Desk from "@limbeck/testing/http/DeskDecisions"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { fallbackTo, serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const { angry, luck } = Desk
const topic = { ...Desk.topic, choices: Desk.choices }

/** The teacher of the rows, but for the mood, of which it always says the contrary. */
const answering: Parameters<Models["base"]>[0] = (request, response) => {
  const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
  const { input, model, questions } = JSON.parse(sent)
  const right = Desk.subjects.findIndex((subject) => input.includes(subject))
  const answers = questions.map(({ name, type }: { readonly name: string; readonly type: string }) => {
    if (type === "predicate") {
      return { type, name, probability: name === "angry" && !input.includes("scandal") ? 0.9 : 0.1 }
    }
    const probabilities = Desk.probabilities(right).map((probability, at) => ({
      value: Desk.subjects[at],
      probability
    }))
    return { type, name, choice: Desk.subjects[right], confidence: 0.85, probabilities }
  })
  const usage = { input_tokens: 40, output_tokens: 0, total_tokens: 40 }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ model, answers, usage }))
}

type Fallback = Awaited<ReturnType<typeof fallbackTo>>

/** A student in shadow is compared with the upstream, alone under an alias, and beside the active student on what that leaves. */
const inShadow = async (live: Client, student_model: string | null, fallback: Fallback) => {
  const shadow = { student_model, mode: "shadow", alias: "quiet", fallback }
  const quiet = await deployAndWait(live, shadow)
  const ask = async (alias: string, nth: number, questions: ReadonlyArray<object>) => {
    const input = Desk.textOf(nth % 3, nth % 2, nth % 3, 900 + nth)
    const answer = await live.post("/v1/proxy/decisions", { model: `svc:${alias}`, input, questions })
    expectStatus(answer, 200)
    return callOf(live, answer.headers)
  }
  for (let nth = 0; nth < 4; nth++) assertHas(await ask("quiet", nth, [topic, angry, luck]), { served_by: "shadow" })
  const { agreement, figures } = await readUntil(
    () => live.get<DeploymentDetail>(`${path}/${quiet.id}`),
    ({ figures }) => figures.shadowed === 4
  )
  const counts = new Map(figures.questions.map((question) => [question.name, question]))
  assertHas(counts.get("topic"), { asked: 4, answered_here: 0, compared: 4, disagreed: 0 })
  assertHas(counts.get("angry"), { asked: 4, answered_here: 0, compared: 4, disagreed: 4 })
  // It would not answer this one.
  assertHas(counts.get("luck"), { asked: 4, compared: 0, disagreed: 0 })
  assertHas(figures, { compared: 4, agreed: 0, shadow_failed: 0 })
  assert.isNull(agreement)

  // Beside an active student that answers no question: all of a request is the upstream's.
  await deployAndWait(live, { ...shadow, mode: "active", alias: "loud", traffic_percent: 0, guard: null })
  const challenger = await deployAndWait(live, { ...shadow, alias: "loud" })
  const { id } = await ask("loud", 0, [topic])
  const beside = await readUntil(
    () => live.get<DeploymentDetail>(`${path}/${challenger.id}`),
    ({ figures }) => figures.shadowed === 1
  )
  assert.lengthOf(beside.figures.questions, 1)
  assertHas(beside.figures.questions[0], { name: "topic", asked: 1, answered_here: 0, compared: 1, disagreed: 0 })
  const detail = await live.get<{ readonly shadow_results: ReadonlyArray<object> }>(`/v1/distill/calls/${id}`)
  assertHas(expectStatus(detail, 200).shadow_results[0], { deployment: challenger.id, agrees: true, error: null })
}

onOneStorage(
  "the guard of decisions",
  (house) => {
    it("takes the question that disagrees upstream, names it in the event, and leaves the others (P1366, P1651)", async () => {
      const { live } = await house.workspace()
      const version = await Desk.versionOf(live)
      const { student_model } = await Desk.runOf(live, version.id, { dryRun: false })
      const base = upstream.base(answering)
      const fallback = await fallbackTo(live, base)
      const desk = { student_model, mode: "active", alias: "desk", fallback }
      const tooMuch = await live.post(path, { ...desk, guard: { min_agreement: 1 } }, { "idempotency-key": "too-much" })
      assert.strictEqual(tooMuch.status, 409, tooMuch.text)
      assertHas(Object(tooMuch.body).error, { param: "guard", code: "conflict_error" })
      const { id } = await deployAndWait(live, { ...desk, guard: { verify_percent: 100 } })
      assertHas((await get(live, id)).guard, { min_agreement: null, breach: null })
      await inShadow(live, student_model, fallback)

      let asked = 0
      /** Answers of the student by position, as the headers tell; it need not be sure of each. */
      const here = [0, 0, 0]
      const ask = async () => {
        const nth = asked
        const input = Desk.textOf(nth % 3, nth % 2, nth % 3, nth)
        const body = { model: "svc:desk", input, questions: [topic, angry, luck] }
        const answer = await live.post("/v1/proxy/decisions", body)
        expectStatus(answer, 200)
        const [, positions = ""] = /student=([\d,]+)/u.exec(answer.headers.get("x-service-decisions") ?? "") ?? []
        const own = positions.split(",").flatMap((position) => (position === "" ? [] : [Number(position)]))
        for (const position of own) here[position] = (here[position] ?? 0) + 1
        asked++
        return { answer, own }
      }
      const isGuarded = ({ agreement }: DeploymentDetail) =>
        (agreement?.questions ?? []).some(({ guarded_at }) => guarded_at !== null)
      const isCounted = ({ figures }: DeploymentDetail) =>
        figures.questions.some((question) => question.name === "topic" && question.asked === asked)
      let shown = await get(live, id)
      while (!isGuarded(shown)) {
        assert.isBelow(asked, 60, JSON.stringify(shown.agreement))
        const { own } = await ask()
        const compared = (shown.agreement?.comparisons ?? 0) + Number(own.length > 0)
        // Paced by verification: one request after the other is compared.
        shown = await readUntil(
          () => live.get<DeploymentDetail>(`${path}/${id}`),
          ({ agreement }) => (agreement?.comparisons ?? 0) >= compared
        )
      }
      const [mood, subject] = ["angry", "topic"].map((name) =>
        shown.agreement?.questions.find((question) => question.name === name)
      )
      assertHas(mood, { value: 0 })
      // A student whose every answer differs is told from its evidence by a few.
      assert.isBelow(mood?.comparisons ?? 100, 12)
      assert.strictEqual(mood?.comparisons, here[1])
      assertHas(subject, { value: 1, comparisons: here[0], guarded_at: null })
      assert.strictEqual(here[2], 0)
      assert.isAbove(subject?.min_agreement ?? 0, 0.9)
      assert.isNull(shown.guarded_at)
      assertHas(shown.guard?.breach, { question: mood?.question, value: 0, comparisons: mood?.comparisons })
      const events = (await deploymentEvents(live)).filter(({ object }) => Object(object).id === id)
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["distill.deployment.ready", "distill.deployment.guarded"]
      )
      assert.deepInclude(Object(events[1]?.object), { guard: shown.guard })

      // The upstream answers this question from now on, and the student the other.
      const before = here[1]
      const { answer } = await ask()
      assert.strictEqual(here[1], before)
      assertHas(await callOf(live, answer.headers), { fallback_reason: "guarded" })
      const { figures } = await readUntil(() => live.get<DeploymentDetail>(`${path}/${id}`), isCounted)
      const counts = new Map(figures.questions.map((question) => [question.name, question]))
      assertHas(counts.get("topic"), { asked, answered_here: here[0], disagreed: 0 })
      assertHas(counts.get("angry"), { asked, answered_here: before, compared: before })
      assertHas(counts.get("angry"), { disagreed: before })
      assertHas(counts.get("luck"), { asked, answered_here: 0, compared: 0, disagreed: 0 })

      // Another change leaves it as it is; a person makes the student answer again.
      expectStatus(await live.patch(`${path}/${id}`, { timeout_ms: 5_000 }), 200)
      await ask()
      assert.strictEqual(here[1], before)
      const again = expectStatus(await live.patch<DeploymentDetail>(`${path}/${id}`, { mode: "active" }), 200)
      assert.isNull(again.guard?.breach)
      for (let more = 0; more < 5; more++) await ask()
      assert.isAbove(here[1] ?? 0, before ?? 0)
    })
  },
  serving
)
