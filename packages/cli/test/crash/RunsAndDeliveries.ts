// The test and the server share a machine, and so a clock.
// @effect-diagnostics globalDate:off
/** A server is killed in the middle of runs and of deliveries to a slow, failing receiver. */
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { luck } from "@limbeck/testing/random/Luck"
import { Api, countBy, type Event, isOver, type Run } from "../Api.ts"
import { embedded } from "../DataFolder.ts"
import { type Arrival, Receiver } from "../Receiver.ts"

/**
 * An answer this shortly before a kill may not have been written down yet. On a machine that takes longer than this to start the
 * next server, so may one that is younger than such a start.
 */
const settleMillis = 5_000
/** An event whose outcome is not written down comes again after this time. */
const leaseMillis = 10_000
/** Maximum responses to later attempts stored before this one: outcomes are stored in order. */
const overtakenMax = 2

interface Kill {
  readonly at: number
  readonly restartedAt: number
}

interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly attempt_count: number
  readonly next_retry_at: string | null
}

interface Recorded extends Delivery {
  readonly attempts: ReadonlyArray<{ readonly error: string | null; readonly status_code: number | null }>
}

/** Slow, and refuses the first attempt of about every sixth event. */
const moody = (seed: number) => {
  const next = luck(seed)
  const refused = new Map<string, boolean>()
  return (event: string, nth: number) => {
    if (!refused.has(event)) refused.set(event, next() < 1 / 6)
    return { status: nth === 0 && refused.get(event) === true ? 500 : 204, delayMillis: next() * 400 }
  }
}

const unwrittenMillis = ({ at, restartedAt }: Kill): number => Math.max(settleMillis, restartedAt - at)

/** How many attempts at an event a kill may cut: on all but slow machines, one. */
const cutsOf = (kill: Kill): number => 1 + Math.floor(unwrittenMillis(kill) / leaseMillis)

/** What a killed server had sent may be read a moment after its end. */
const wasCutBy = ({ answeredAt, at }: Arrival, kill: Kill, receiver: Receiver): boolean => {
  if (at > kill.restartedAt) return false
  if (answeredAt === null || answeredAt >= kill.at) return true
  const isDone = (one: Arrival) => receiver.of(one.event).at(-1) === one
  const overtaking = receiver.arrivals.filter((one) => one.at > answeredAt && one.at < kill.at && isDone(one))
  return answeredAt >= kill.at - unwrittenMillis(kill) && overtaking.length <= overtakenMax
}

/** How often a server says of a delivery that its outcome came after the end of its lease: then it had to be attempted again. */
const lateOutcomes = (said: ReadonlyArray<string>, { id }: Delivery): number =>
  said.filter((line) => line.includes("stale_outcomes_refused") && line.includes(`"${id}"`)).length

/**
 * An event came again only after a refusal, after a kill that may have cut the attempt before, or, on a busy machine, after an
 * attempt that the server gave up or wrote down too late.
 */
const assertNoNeedlessAttempt = (
  receiver: Receiver,
  delivery: Recorded,
  kills: ReadonlyArray<Kill>,
  said: ReadonlyArray<string>
) => {
  const arrivals = receiver.of(delivery.event_id)
  const facts = JSON.stringify({ arrivals, kills, delivery })
  const givenUp = delivery.attempts.filter(({ error }) => error !== null).length
  const excused = givenUp + lateOutcomes(said, delivery)
  const accepted = arrivals.slice(0, -1).filter(({ status }) => status < 300)
  const unexplained = accepted.filter((earlier) => !kills.some((kill) => wasCutBy(earlier, kill, receiver)))
  assert.isAtMost(unexplained.length, excused, `attempted again for no reason: ${facts}`)
  const cuts = kills.reduce((sum, kill) => sum + cutsOf(kill), 0)
  assert.isAtMost(accepted.length, cuts + excused, facts)
  const outcomes = delivery.attempts.map(({ error, status_code }) => error === null && status_code === 204)
  assert.deepStrictEqual(
    outcomes,
    outcomes.map((_, index) => index === outcomes.length - 1),
    `the first success is the last attempt: ${facts}`
  )
}

/** A busy machine may cut attempts off, and the next ones come minutes later: fails only when none comes long after it was due. */
const whenDelivered = async (api: Api, path: string, count: number): Promise<ReadonlyArray<Recorded>> => {
  const progressOf = (all: ReadonlyArray<Delivery>) =>
    JSON.stringify(all.map(({ attempt_count, id, status }) => [id, status, attempt_count]))
  for (;;) {
    const all = await api.list<Delivery>(path)
    const open = all.filter(({ status }) => status !== "succeeded")
    if (all.length === count && open.length === 0) break
    const dueAt = open.map(({ next_retry_at }) => (next_retry_at === null ? 0 : Date.parse(next_retry_at)))
    await eventually(
      `${all.length} of ${count} deliveries are made, and of these the next is written down: ${JSON.stringify(open)}`,
      async () => progressOf(await api.list<Delivery>(path)) !== progressOf(all),
      Math.max(0, (open.length === 0 ? 0 : Math.min(...dueAt)) - Date.now()) + patienceMillis
    )
  }
  const ids = (await api.list<Delivery>(path)).map(({ id }) => id)
  return Promise.all(ids.map((id) => api.get<Recorded>(`${path}/${id}`)))
}

const oncePerRun = ["created", "started", "succeeded"].map((name) => `distill.run.${name}`)

const assertWholeStory = (run: Run, events: ReadonlyArray<Event>, kills: number) => {
  assert.strictEqual(run.status, "succeeded")
  const mine = countBy(
    events.filter(({ data }) => data.object.id === run.id),
    ({ type }) => type
  )
  for (const type of oncePerRun) assert.strictEqual(mine.get(type), 1, `${type} of ${run.id}`)
  // Materialize, sft and eval; publish is skipped in a rehearsal, and grpo is not in the recipe.
  assert.strictEqual(mine.get("distill.run.stage_succeeded"), 3)
  assert.strictEqual(mine.size, oncePerRun.length + 1)
  for (const { attempt, kind } of run.stages) {
    assert.isAtLeast(attempt, kind === "grpo" ? 0 : 1)
    assert.isAtMost(attempt, 1 + kills)
  }
}

export const runsAndDeliveries = async (atEnd: AtEnd) => {
  const next = luck(4)
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server)
  const receiver = new Receiver(moody(5))
  const endpoint = await receiver.subscribe(atEnd, api)
  const plan = await api.plan()
  const kills: Array<Kill> = []
  const runs: Array<Run> = []
  /** What the servers have said. */
  const said: Array<string> = []

  const killWithinRuns = async () => {
    const fresh = await api.runs(plan, 4)
    runs.push(...fresh)
    const found = () => Promise.all(fresh.map(({ id }) => api.run(id)))
    await eventually("a run has been begun", async () => (await found()).some(({ status }) => status !== "queued"))
    await sleep(next() * 300)
    const at = Date.now()
    await server.kill()
    said.push(...server.said)
    await server.start()
    kills.push({ at, restartedAt: Date.now() })
    return !(await found()).every(isOver)
  }
  for (let round = 0; round < 2; round++) await eventually("a kill has cut runs", killWithinRuns)

  const over = await api.whenOver(runs)
  const events = await api.events()
  for (const run of over) assertWholeStory(run, events, kills.length)
  const reports = await api.list<{ id: string; run: string }>("/v1/distill/reports")
  assert.sameDeepMembers(
    reports.map(({ id, run }) => ({ id, run })),
    over.map(({ id, report }) => ({ id: report ?? "", run: id }))
  )
  const ready = events.filter(({ type }) => type === "distill.report.ready").map(({ data }) => data.object.id)
  assert.sameMembers(
    ready,
    reports.map(({ id }) => id)
  )

  const delivered = await whenDelivered(api, `/v1/webhook_endpoints/${endpoint.id}/deliveries`, events.length)
  said.push(...server.said)
  receiver.assertGenuine()
  const ids = events.map(({ id }) => id)
  assert.sameMembers([...new Set(receiver.arrivals.map(({ event }) => event))], ids)
  assert.sameMembers(
    delivered.map(({ event_id }) => event_id),
    ids
  )
  for (const id of ids) assert.isTrue(receiver.has(id), `${id} was accepted`)
  for (const delivery of delivered) assertNoNeedlessAttempt(receiver, delivery, kills, said)
}
