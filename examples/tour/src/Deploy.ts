/** The student put to work: in shadow beside the teacher, then in its place, and at last without it. */
import type { Api } from "./Api.ts"
import { callsOf, sourceName } from "./Capture.ts"
import { claim, claimEqual, expectPresent } from "./Claims.ts"
import { accuracyOf, type Desk, percent, resultsOf, type SortResult } from "./Desk.ts"
import { step } from "./Screen.ts"
import * as Teacher from "./Teacher.ts"
import type { Ticket } from "./Tickets.ts"
import type { Call, Deployment, DeploymentWithFigures } from "./Wire.ts"

/** A student that is less sure than this asks the teacher. */
const belowConfidence = 0.6

const path = "/v1/distill/deployments"
const fallback = { source: sourceName, model: Teacher.model, below_confidence: belowConfidence }

export interface Round {
  readonly sorted: ReadonlyArray<SortResult>
  readonly calls: ReadonlyArray<Call>
}

export interface DeployResult {
  /** The same tickets, before and after. */
  readonly shadow: Round
  readonly active: Round
  readonly alone: ReadonlyArray<SortResult>
}

const createShadow = async (api: Api, student_model: string): Promise<Deployment> => {
  const body = { alias: "desk", student_model, mode: "shadow", fallback }
  const created = await api.create<Deployment>(path, body, "tour-deployment")
  const ready = await api.pollUntil(
    "The deployment",
    () => api.get<Deployment>(`${path}/${created.id}`),
    ({ status }) => status !== "provisioning"
  )
  claimEqual(
    [ready.status, ready.model],
    ["ready", "svc:desk"],
    `The deployment (${ready.error?.message ?? "no error"})`
  )
  return ready
}

const inShadow = async (api: Api, desk: Desk, { id, model }: Deployment, tickets: ReadonlyArray<Ticket>) => {
  const sorted = await desk.sortAll(tickets, { model, tag: "shadow" })
  claimEqual(resultsOf(sorted, "shadow").length, tickets.length, "The calls in shadow")
  const calls = await callsOf(api, "shadow", tickets.length)
  const { figures } = await api.pollUntil(
    "The student's answers in shadow",
    () => api.get<DeploymentWithFigures>(`${path}/${id}`),
    ({ figures: { compared } }) => compared >= tickets.length
  )
  return { round: { sorted, calls }, figures }
}

const whenActive = async (api: Api, desk: Desk, { model }: Deployment, tickets: ReadonlyArray<Ticket>) => {
  const head = await desk.sortAll(tickets.slice(0, -1), { model, tag: "active" })
  const streamed = await desk.sortAll(tickets.slice(-1), { model, tag: "active", stream: true })
  const sorted = [...head, ...streamed]
  const calls = await callsOf(api, "active", tickets.length)
  const unsure = resultsOf(sorted, "upstream_fallback")
  claim(resultsOf(sorted, "student").length > unsure.length, "The student ought to have answered most of the calls")
  claim(unsure.length > 0, "The teacher ought to have answered where the student was unsure")
  claimEqual(resultsOf(sorted, "student").length + unsure.length, tickets.length, "The calls of the active deployment")
  const reasons = new Set(calls.map(({ fallback_reason }) => fallback_reason).filter((reason) => reason !== null))
  claimEqual([...reasons], ["confidence"], "Why the teacher was asked")
  return { sorted, calls }
}

/** Includes unsure answers: without a fallback, the student's answer stands. */
const withNobody = async (
  desk: Desk,
  { model }: Deployment,
  teacher: Teacher.Teacher,
  tickets: ReadonlyArray<Ticket>
): Promise<ReadonlyArray<SortResult>> => {
  await teacher.switchOff()
  const sorted = await desk.sortAll(tickets, { model, tag: "alone" })
  claimEqual(
    resultsOf(sorted, "student").length,
    tickets.length,
    "The calls that the student answers without a teacher"
  )
  return sorted
}

/** Its guard lets the student go by what it has shown beside the teacher. */
const activate = async (api: Api, desk: Desk, { id, model }: Deployment): Promise<string> => {
  const { guard, mode } = await api.patch<Deployment>(`${path}/${id}`, { mode: "active" })
  claimEqual(mode, "active", "The mode of the deployment")
  const models = await desk.models()
  claimEqual(models, [Teacher.model, model], "The models that a client sees")
  const asked = percent(expectPresent(guard?.min_agreement ?? null, "The agreement that its guard asks for"))
  return `its guard asks for an agreement of ${asked}; the client's models are now ${models.join(" and ")}`
}

export const deploy = async (
  api: Api,
  desk: Desk,
  teacher: Teacher.Teacher,
  student: string,
  tickets: ReadonlyArray<Ticket>
): Promise<DeployResult> => {
  const deployment = await step("Deploy the student in shadow", async () => {
    const ready = await createShadow(api, student)
    return [ready, `${ready.model}, answered by the teacher`]
  })
  const shadow = await step(`Have ${tickets.length} new tickets sorted`, async () => {
    const { figures, round } = await inShadow(api, desk, deployment, tickets)
    const agreement = percent(expectPresent(figures.agreement, "The agreement"))
    return [round, `by the teacher; the student would have said the same on ${agreement}`]
  })
  await step("Make it active", async () => [undefined, await activate(api, desk, deployment)])
  const active = await step("The same tickets again", async () => {
    const round = await whenActive(api, desk, deployment, tickets)
    const { length } = resultsOf(round.sorted, "student")
    return [round, `${length} by the student, ${tickets.length - length} it was unsure of by the teacher`]
  })
  const alone = await step("Switch the teacher off", async () => {
    const sorted = await withNobody(desk, deployment, teacher, tickets)
    return [sorted, `and again: all ${sorted.length} by the student, ${percent(accuracyOf(sorted))} right`]
  })
  return { shadow, active, alone }
}
