/** Of two servers on one database one is held still for long, and then one is killed. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { isIdle } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { type Api, countBy, type Event, type Run } from "../Api.ts"
import { attemptsOf, twoServers } from "../TwoServers.ts"
import { workOfRuns } from "../Work.ts"

/** Work of a server that is gone can be claimed by another this soon (contract 14.4 and 14.18); that it then is: P19, in virtual time. */
const leaseMillisMax = 15_000

interface Stranding {
  readonly busy: Api
  readonly held: Api
  readonly plan: unknown
  readonly database: string
  readonly stop: () => Promise<unknown>
  readonly goOn: () => unknown
}

/** How many runs ended how often. */
const endsOf = (events: ReadonlyArray<Event>, runs: ReadonlyArray<Run>) => {
  const ends = countBy(
    events.filter(({ type }) => type === "distill.run.succeeded"),
    ({ data }) => data.object.id
  )
  return runs.map(({ id }) => ends.get(id) ?? 0)
}

/** Stops the last server that moves, at a moment at which it holds no lock: who holds one is waited for, not replaced. */
const hold = ({ server }: Api, database: string) =>
  eventually("a moment without a transaction", async () => {
    server.signal("SIGSTOP")
    if (await isIdle(database)) return true
    server.signal("SIGCONT")
    return undefined
  })

/**
 * Runs that `busy` alone was in the middle of when it was stopped: the other server is held. Where one of them was over before,
 * or between two stages, `busy` goes on, and others follow.
 */
const strand = ({ busy, database, goOn, held, plan, stop }: Stranding) =>
  eventually("a server is stopped in the middle of all its runs", async () => {
    held.server.signal("SIGSTOP")
    const runs = await busy.runs(plan, 3)
    await eventually("all have been begun", async () =>
      (await Promise.all(runs.map(({ id }) => busy.run(id)))).every(({ status }) => status !== "queued")
    )
    await stop()
    const left = await workOfRuns(database)
    if (left.filter(({ isAtWork }) => isAtWork).length === runs.length) {
      for (const { subject, waitMillis } of left) assert.isAtMost(waitMillis, leaseMillisMax, subject)
      return runs
    }
    await goOn()
    await busy.whenOver(runs)
    return undefined
  })

/** All runs go on, and to their end, on a server that did not begin them. */
const finish = async (api: Api, runs: ReadonlyArray<Run>) => {
  for (const run of await api.whenOver(runs)) {
    assert.strictEqual(run.status, "succeeded")
    assert.strictEqual(Math.max(...attemptsOf(run)), 2)
  }
  assert.deepStrictEqual(endsOf(await api.events(), runs), [1, 1, 1])
}

export const takeOver = async (atEnd: AtEnd) => {
  const { a, b, database } = await twoServers(atEnd)
  const plan = await a.plan()

  const runsOfB = await strand({
    ...{ busy: b, held: a, plan, database },
    stop: () => hold(b, database),
    goOn: () => b.server.signal("SIGCONT")
  })
  a.server.signal("SIGCONT")
  await finish(a, runsOfB)
  const before = await Promise.all(runsOfB.map(({ id }) => a.run(id)))
  // Back from the dead it learns that it has lost its leases, and what it believed changes nothing.
  b.server.signal("SIGCONT")
  await eventually("its work is no longer its own", async () =>
    runsOfB.every(({ id }) => b.server.said.some((line) => line.includes("lease_lost") && line.includes(id)))
      ? true
      : undefined
  )

  const runsOfA = await strand({
    ...{ busy: a, held: b, plan, database },
    stop: () => a.server.kill(),
    goOn: () => a.server.start()
  })
  b.server.signal("SIGCONT")
  await finish(b, runsOfA)
  assert.deepStrictEqual(await Promise.all(runsOfB.map(({ id }) => b.run(id))), before)
  assert.deepStrictEqual(endsOf(await b.events(), runsOfB), [1, 1, 1])
}
