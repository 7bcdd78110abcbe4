/** Two workers on one database drive many runs, and one or the other is killed, while runs are canceled and retried. */

import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import { isTerminal } from "@limbeck/distill/run/RunMachine"
import { Runs } from "@limbeck/distill/run/Runs"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import * as RunLaws from "@limbeck/testing/fixtures/RunLaws"
import * as SpendingExecutor from "@limbeck/testing/fixtures/SpendingExecutor"
import { luck } from "@limbeck/testing/random/Luck"
import * as Effect from "effect/Effect"
import * as Records from "../support/Records.ts"
import * as RunWorkers from "../support/RunWorkers.ts"

const runsCount = caseCount(40, 200)
const kills = caseCount(3, 10)
const paceMillis = 120
const { partition } = RunWorkers

const price = ComputeProfile.local.microsPerGpuSecond
const seconds = SpendingExecutor.secondsOfRun(["sft", "eval"])
const usd = (gpuSeconds: number) => (gpuSeconds * price) / 1e6

export const runsKilled = async (atEnd: AtEnd) => {
  const { schema } = await Records.open(atEnd)
  const workers = RunWorkers.open(atEnd, schema, paceMillis)
  const next = luck(20_261_121)
  const version = await workers.version()
  const runs = await workers.run(Runs)
  const ids = await workers.run(
    Effect.forEach(Array.from({ length: runsCount }), (_, index) => {
      // Half are rehearsals; a few have no budget for the whole.
      const fields = { dryRun: index % 2 === 0, maxCostUsd: usd(index % 20 === 1 ? 5 : 40) }
      return Effect.map(runs.create(partition, workers.request(version, fields)), ({ run }) => run.id)
    })
  )
  const all = () => workers.run(Effect.forEach(ids, (id) => runs.get(partition, id), { concurrency: 8 }))
  const retry = (id: string, maxCostUsd: number | null = null) =>
    runs.retry(partition, id, { fromStage: null, maxCostUsd })
  let [canceled, retried] = [0, 0]
  /** Disturbs three unfinished runs, an ended one first: retries ended runs, and cancels waiting or working ones. */
  const disturb = async () => {
    const open = (await all()).filter(({ status }) => status !== "succeeded")
    const ended = open.filter(({ status }) => isTerminal(status))
    for (let count = 0; count < 3 && open.length > 0; count++) {
      const from = count === 0 && ended.length > 0 ? ended : open
      const { id, status } = from[Math.floor(next() * from.length)]!
      if (isTerminal(status)) retried++
      else canceled++
      // It may have moved on since the read.
      await workers.run(Effect.ignore(isTerminal(status) ? retry(id) : runs.cancel(partition, id)))
    }
  }

  const places = await Promise.all([workers.start(), workers.start()])
  for (let kill = 0; kill < kills; kill++) {
    await sleep(200 + next() * 600)
    const place = next() < 0.5 ? 0 : 1
    await Promise.all([places[place]!.kill(), disturb()])
    places[place] = await workers.start()
  }
  await eventually("every run has succeeded", async () => {
    const open = (await all()).filter(({ status }) => status !== "succeeded")
    for (const { budgetMicros, error, id, status } of open) {
      const more = error?.code === "budget_exceeded" ? (budgetMicros + 40 * price) / 1e6 : null
      if (isTerminal(status)) await workers.run(retry(id, more))
    }
    await sleep(200)
    return open.length === 0
  })

  const types = await workers.run(RunLaws.eventTypes(partition))
  const uncounted = new Map<string, string>()
  let resumed = 0
  for (const id of ids) {
    const { run } = await workers.run(RunLaws.assertLaws(partition, id, types.get(id) ?? []))
    assert.strictEqual(run.status, "succeeded")
    // Exactly what an undisturbed run comes to: nothing lost, nothing twice.
    assert.deepInclude(
      run.totals,
      run.dryRun ? { costMicros: 0 } : { gpuSeconds: seconds, costMicros: seconds * price }
    )
    for (const { attempt, seq } of run.stages) {
      const seen = workers.started.filter(({ run, stage }) => run === id && stage === seq).map((one) => one.attempt)
      assert.isTrue(seen.every((one) => one <= attempt))
      resumed += Math.max(0, attempt - 1)
      if (new Set(seen).size !== attempt || seen.length !== attempt)
        uncounted.set(id, `${id} ${seq}: ${seen} of ${attempt}`)
    }
  }
  // A cancel, or a worker's kill, may fall between the count of an attempt and its begin, or between its begin and its
  // report.
  assert.isAtMost(uncounted.size, kills * Pools.runs.size + canceled, [...uncounted.values()].join("\n"))
  assert.isAbove(resumed, kills)
  assert.isAbove(canceled, kills / 2)
  assert.isAbove(retried, 0)
  assert.deepStrictEqual(
    workers.said.filter((line) => line.includes('"ERROR"')),
    []
  )
}
