/** The teacher behind the proxy: made a source, asked 300 times by the desk, and found again, call by call. */
import type { Api } from "./Api.ts"
import { claim, claimEqual, expectPresent } from "./Claims.ts"
import { accuracyOf, type Desk, percent, type SortResult } from "./Desk.ts"
import { step } from "./Screen.ts"
import * as Teacher from "./Teacher.ts"
import type { Ticket } from "./Tickets.ts"
import type { Call, Page, Source } from "./Wire.ts"

const questions = 300
/** Tickets with feedback on their label. */
const reviewed = 25
const tag = "tickets"
/** In turns. */
const apis = ["chat", "responses"] as const
/** The last tickets go as streams, one by each API. */
const streams = apis.length
export const sourceName = "teacher"

export interface CaptureResult {
  readonly source: Source
  readonly sorted: ReadonlyArray<SortResult>
  readonly calls: ReadonlyArray<Call>
}

const addSource = async (api: Api, teacher: Teacher.Teacher): Promise<Source> => {
  const body = {
    name: sourceName,
    kind: "byok",
    base_url: teacher.baseUrl,
    api_key: teacher.apiKey,
    default: true,
    models: [{ id: Teacher.model, ...Teacher.price }]
  }
  const source = await api.create<Source>("/v1/sources", body, "tour-source")
  claimEqual(source.api_key_last4, teacher.apiKey.slice(-4), "What is shown of the teacher's key")
  const verified = await api.request<{ readonly ok: boolean }>("POST", `/v1/sources/${source.id}/verify`)
  claim(verified.body.ok, `The teacher ought to answer: ${verified.text}`)
  return source
}

/** All calls with a tag, once `count` of them are stored. */
export const callsOf = (api: Api, tagged: string, count: number): Promise<ReadonlyArray<Call>> =>
  api.pollUntil(
    `The ${count} calls tagged ${tagged}`,
    async () => {
      const calls: Array<Call> = []
      for (let more = ""; ; ) {
        const page = await api.get<Page<Call>>(`/v1/distill/calls?tag=${tagged}&limit=100${more}`)
        calls.push(...page.data)
        if (!page.has_more) return calls
        more = `&cursor=${encodeURIComponent(page.next_cursor ?? "")}`
      }
    },
    (calls) => calls.length >= count
  )

const ask = (desk: Desk, tickets: ReadonlyArray<Ticket>) =>
  step("Have 300 tickets sorted", async (tell) => {
    const asked = tickets.slice(0, questions)
    const request = { model: Teacher.model, tag, apis } as const
    const told = (done: number) => done % 50 === 0 && tell(`${done} of ${questions}`)
    const whole = await desk.sortAll(asked.slice(0, -streams), request, told)
    const streamed = await desk.sortAll(asked.slice(-streams), { ...request, stream: true })
    const sorted = [...whole, ...streamed]
    claim(
      sorted.every(({ servedBy }) => servedBy === "upstream"),
      "The teacher ought to have answered every call"
    )
    return [
      sorted,
      `by the openai client, half of them by the Responses API, all by the teacher: ${percent(accuracyOf(sorted))} right`
    ]
  })

const questionOf = (call: Call) => (call.endpoint === "responses" ? call.request.input : call.request.messages)

const answerOf = (call: Call) =>
  call.endpoint === "responses" ? call.response.output[0]?.content[0]?.text : call.response.choices[0]?.message.content

/** The captured calls equal the questions and answers, and contain no key. */
const checkCalls = (calls: ReadonlyArray<Call>, sorted: ReadonlyArray<SortResult>, teacher: Teacher.Teacher): void => {
  const byId = new Map(calls.map((call) => [call.id, call]))
  claimEqual(byId.size, sorted.length, "The number of captured calls")
  for (const { call, label, ticket } of sorted) {
    const captured = expectPresent(byId.get(call), `The captured call ${call}`)
    const { outcome, usage } = captured
    claimEqual([outcome, questionOf(captured)], ["succeeded", ticket.messages], "What was captured of a question")
    claimEqual(answerOf(captured), label, "What was captured of an answer")
    claim((usage?.prompt_tokens ?? 0) > 0, "A captured call ought to say what was used")
  }
  claimEqual(calls.filter(({ streamed }) => streamed).length, streams, "The number of streams")
  const byResponses = calls.filter(({ endpoint }) => endpoint === "responses")
  claimEqual(byResponses.length, questions / 2, "The number of calls of the Responses API")
  claim(!JSON.stringify(calls).includes(teacher.apiKey), "No captured call ought to hold the teacher's key")
}

const review = async (api: Api, sorted: ReadonlyArray<SortResult>): Promise<string> => {
  const seen = sorted.slice(0, reviewed)
  for (const { call, label, ticket } of seen) {
    await api.create("/v1/distill/feedback", {
      call_id: call,
      name: "right_desk",
      value: label === ticket.label ? 1 : 0
    })
  }
  const { data } = await api.get<Page<{ readonly value: number }>>("/v1/distill/feedback?limit=100")
  claimEqual(data.length, reviewed, "The number of reviews")
  return `${data.filter(({ value }) => value === 1).length} of ${reviewed} right, says the desk`
}

export const capture = async (
  api: Api,
  desk: Desk,
  teacher: Teacher.Teacher,
  tickets: ReadonlyArray<Ticket>
): Promise<CaptureResult> => {
  const source = await step("Make the teacher a source", async () => {
    const made = await addSource(api, teacher)
    return [made, `${Teacher.model} at ${teacher.baseUrl}, $${Teacher.price.input_per_million} a million tokens`]
  })
  const sorted = await ask(desk, tickets)
  const calls = await step("Look at what was captured", async () => {
    const found = await callsOf(api, tag, questions)
    checkCalls(found, sorted, teacher)
    const cost = found.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
    return [found, `${found.length} calls, each as it was, for $${cost.toFixed(4)}`]
  })
  await step("Review some", async () => [undefined, await review(api, sorted)])
  return { source, sorted, calls }
}
