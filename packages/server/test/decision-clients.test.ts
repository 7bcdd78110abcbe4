/** Further stock clients of decisions, unchanged, before a deployment: `ai`, its providers, and OpenRouter's. */
import { createTypeSafeAi } from "@ai-sdk/typesafe-ai"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { answering } from "@limbeck/testing/upstream/DecisionUpstream"
import { Models } from "@limbeck/testing/upstream/Models"
import { OpenRouter } from "@openrouter/sdk"
import { experimental_decide as decide } from "ai-decisions"
import { createOpenAI } from "ai-decisions-openai"
import { type House, onOneStorage } from "./support/House.ts"
import { assertHas, newest } from "./support/Provider.ts"
import { runPython, withoutPython } from "./support/PythonClients.ts"
import { aboutMoney, fallbackTo, serving, students } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const labels = [...new Set(tickets({ rows: 300, seed: 1 }).map(({ completion }) => completion))]
const right = "refund_request"
const criteria: Record<string, null> = Object.fromEntries(labels.map((label) => [label, null]))

/** The student answers the choice, and the fallback the rest. */
const questions = {
  team: { type: "choice", instructions: "Which team?", criteria },
  angry: { type: "boolean", instructions: "The customer is angry." },
  urgent: { type: "score", instructions: "How urgent?", criteria: ["low", "high"] }
} as const

const begin = async (house: House) => {
  const { live, liveToken } = await house.workspace()
  const { calm } = await students(live)
  const fallback = await fallbackTo(live, upstream.base(answering), { default: true })
  await deployAndWait(live, { alias: "desk", student_model: calm, mode: "active", fallback })
  return { live, apiKey: liveToken, baseURL: `${house.origin}/v1/proxy` }
}

onOneStorage(
  "clients of decisions",
  (house) => {
    it("of the AI SDK take mixed answers, whose sums they check, in both dialects (P1373)", async () => {
      const { apiKey, baseURL, live } = await begin(house)
      const openai = createOpenAI({ apiKey, baseURL })
      const { answers } = await decide({ model: openai.decisionModel("svc:desk"), state: aboutMoney, questions })
      assertHas(answers.team, { choice: right })
      assertHas(answers.angry, { type: "boolean" })
      assertHas(await newest(live, 1).then(([call]) => call), { endpoint: "decisions", served_by: "mixed" })

      const typesafe = createTypeSafeAi({ apiKey, baseURL })
      // The provider still names the model by the word of an earlier specification; the members are the same.
      const model = typesafe.evaluationModel("svc:desk") as unknown as ReturnType<typeof openai.decisionModel>
      const inMap = await decide({ model, state: { message: aboutMoney }, questions })
      assert.sameMembers(Object.keys(inMap.answers), ["team", "angry", "urgent"])
      assertHas(await newest(live, 2).then(([call]) => call), { endpoint: "systemone" })

      const plain = await decide({ model: openai.decisionModel("gpt"), state: aboutMoney, questions })
      assert.sameMembers(Object.keys(plain.answers), ["team", "angry", "urgent"])
      const missing = decide({ model: openai.decisionModel("svc:nobody"), state: aboutMoney, questions, maxRetries: 0 })
      const error = await missing.then(
        () => null,
        (failure: unknown) => failure
      )
      assertHas(Object(error), { statusCode: 404 })
      assert.include(String(error), "No such deployment: svc:nobody")
    })

    it("of OpenRouter are answered by student and fallback together (P1373)", async () => {
      const { apiKey, baseURL, live } = await begin(house)
      const router = new OpenRouter({ apiKey })
      const { answers } = await router.alpha.decisions.create(
        {
          decisionsRequest: {
            model: "svc:desk",
            state: aboutMoney,
            questions: {
              team: questions.team,
              angry: { type: "noul", instructions: "The customer is angry." }
            }
          }
        },
        { serverURL: baseURL }
      )
      assertHas(Object(answers["team"]), { type: "choice", choice: right })
      assertHas(Object(answers["angry"]), { type: "noul", noul: 0.31 })
      assertHas(await newest(live, 1).then(([call]) => call), { endpoint: "systemone", served_by: "mixed" })
    })

    describe.skipIf(withoutPython)("in Python", () => {
      it("of OpenAI, TypeSafe and LangChain take mixed answers and errors (P1373)", { timeout: 120_000 }, async () => {
        const { apiKey, baseURL, live } = await begin(house)
        await runPython("decisions.py", {
          BASE_URL: baseURL,
          TOKEN: apiKey,
          LABELS: labels.join(","),
          RIGHT: right,
          TEXT: aboutMoney
        })
        const calls = await newest(live, 3)
        for (const call of calls) assertHas(call, { served_by: "mixed", outcome: "succeeded" })
      })
    })
  },
  serving
)
