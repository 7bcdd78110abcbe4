/** Of two servers on one database one is stopped for long, and then the other is killed. */
import { assert } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { isIdle } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, countBy, type Event, type Run } from "../Api.ts"
import { liveToken } from "../Server.ts"
import { attemptsOf, twoServers } from "../TwoServers.ts"
import { workOfRuns } from "../Work.ts"
import { evaluationOf, student } from "./EndpointStudents.ts"
import { heldModel } from "./HeldModel.ts"

/** Work of a server that is gone can be claimed by another this soon (contract 14.4 and 14.18); that it then is: P19, in virtual time. */
const leaseMillisMax = 15_000

/** Runs at once. Each asks its student no more than it may ask at once, and the student answers nobody. */
const count = 3

interface Stranding {
  readonly busy: Api
  readonly held: Api
  readonly plan: unknown
  readonly database: string
  readonly model: Awaited<ReturnType<typeof heldModel>>
  readonly stop: () => Promise<unknown>
}

/** How many runs ended how often. */
const endsOf = (events: ReadonlyArray<Event>, runs: ReadonlyArray<Run>) => {
  const ends = countBy(
    events.filter(({ type }) => type === "distill.run.succeeded"),
    ({ data }) => data.object.id
  )
  return runs.map(({ id }) => ends.get(id) ?? 0)
}

/** Stops the running server at a moment without a lock: a lock holder is waited for, not replaced. */
const hold = ({ server }: Api, database: string) =>
  eventually("a moment without a transaction", async () => {
    server.signal("SIGSTOP")
    if (await isIdle(database)) return true
    server.signal("SIGCONT")
    return undefined
  })

/** Runs that the stop of `busy` interrupts: the other server is held, and the students answer later. */
const strand = async ({ busy, database, held, model, plan, stop }: Stranding) => {
  await hold(held, database)
  model.hold()
  const before = model.asked.length
  const runs = await busy.runs(plan, count)
  await eventually(
    "all runs wait for their students",
    () => model.asked.length === before + count * DistillLimits.studentAskedMax
  )
  await stop()
  const left = await workOfRuns(database)
  assert.lengthOf(
    left.filter(({ isAtWork }) => isAtWork),
    count
  )
  for (const { subject, waitMillis } of left) assert.isAtMost(waitMillis, leaseMillisMax, subject)
  model.release()
  return runs
}

/** All runs go on, and to their end, on a server that did not begin them. */
const finish = async (api: Api, runs: ReadonlyArray<Run>) => {
  for (const run of await api.whenOver(runs)) {
    assert.strictEqual(run.status, "succeeded")
    assert.strictEqual(Math.max(...attemptsOf(run)), 2)
  }
  assert.deepStrictEqual(endsOf(await api.events(), runs), [1, 1, 1])
}

export const takeOver = async (atEnd: AtEnd) => {
  const model = await heldModel(atEnd, 0, student)
  const { database, servers } = await twoServers(atEnd, { EGRESS_ALLOW: "127.0.0.0/8" })
  const [a, b] = [new Api(servers[0], liveToken), new Api(servers[1], liveToken)]
  const { plan } = await evaluationOf(a, { base_url: model.base, rows: 60 })

  const runsOfB = await strand({
    ...{ busy: b, held: a, plan, database, model },
    stop: () => hold(b, database)
  })
  a.server.signal("SIGCONT")
  await finish(a, runsOfB)
  const before = await Promise.all(runsOfB.map(({ id }) => a.run(id)))
  // After waking, the server finds its leases lost, and its late writes change nothing.
  b.server.signal("SIGCONT")
  await eventually("its work is no longer its own", async () =>
    runsOfB.every(({ id }) => b.server.said.some((line) => line.includes("lease_lost") && line.includes(id)))
      ? true
      : undefined
  )

  const runsOfA = await strand({
    ...{ busy: a, held: b, plan, database, model },
    stop: () => a.server.kill()
  })
  b.server.signal("SIGCONT")
  await finish(b, runsOfA)
  assert.deepStrictEqual(await Promise.all(runsOfB.map(({ id }) => b.run(id))), before)
  assert.deepStrictEqual(endsOf(await b.events(), runsOfA), [1, 1, 1])
}
