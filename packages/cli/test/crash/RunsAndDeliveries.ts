// The test and the server share a machine, and so a clock.
// @effect-diagnostics globalDate:off
/** A server is killed in the middle of runs and of deliveries to a slow, failing receiver. */
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { luck } from "@limbeck/testing/random/Luck"
import { Api, countBy, type Event, isOver, type Run } from "../Api.ts"
import { type Arrival, Receiver } from "../Receiver.ts"
import { embedded } from "../Server.ts"

/** An answer this shortly before a kill may not have been written down yet, however busy the machine is. */
const settleMillis = 5_000
/** Maximum responses to later attempts stored before this one: outcomes are stored in order. */
const overtakenMax = 2

interface Kill {
  readonly at: number
  readonly restartedAt: number
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

/** What a killed server had sent may be read a moment after its end. */
const wasCutBy = ({ answeredAt, at }: Arrival, kill: Kill, receiver: Receiver): boolean => {
  if (at > kill.restartedAt) return false
  if (answeredAt === null || answeredAt >= kill.at) return true
  const isDone = (one: Arrival) => receiver.of(one.event).at(-1) === one
  const overtaking = receiver.arrivals.filter((one) => one.at > answeredAt && one.at < kill.at && isDone(one))
  return answeredAt >= kill.at - settleMillis && overtaking.length <= overtakenMax
}

/** An event came again only after a refusal, or after a kill that may have cut the attempt before. */
const assertNoNeedlessAttempt = (receiver: Receiver, event: string, kills: ReadonlyArray<Kill>) => {
  const arrivals = receiver.of(event)
  for (const earlier of arrivals.slice(0, -1)) {
    const isExplained = earlier.status >= 300 || kills.some((kill) => wasCutBy(earlier, kill, receiver))
    assert.isTrue(isExplained, `attempted again for no reason: ${JSON.stringify({ arrivals, kills })}`)
  }
  const refusals = arrivals.filter(({ status }) => status >= 300).length
  assert.isAtMost(arrivals.length - 1 - refusals, kills.length)
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

  const killWithinRuns = async () => {
    const fresh = await api.runs(plan, 4)
    runs.push(...fresh)
    const found = () => Promise.all(fresh.map(({ id }) => api.run(id)))
    await eventually("a run has been begun", async () => (await found()).some(({ status }) => status !== "queued"))
    await sleep(next() * 300)
    const at = Date.now()
    await server.kill()
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

  await eventually("every event reached the receiver", async () =>
    events.every(({ id }) => receiver.has(id)) ? true : undefined
  )
  const deliveries = `/v1/webhook_endpoints/${endpoint.id}/deliveries`
  await eventually("every delivery is written down", async () => {
    const all = await api.list<{ status: string; event_id: string }>(deliveries)
    return all.length === events.length && all.every(({ status }) => status === "succeeded") ? true : undefined
  })
  receiver.assertGenuine()
  const ids = events.map(({ id }) => id)
  assert.sameMembers([...new Set(receiver.arrivals.map(({ event }) => event))], ids)
  for (const id of ids) assertNoNeedlessAttempt(receiver, id, kills)
}
