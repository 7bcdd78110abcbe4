/** A run is canceled at one server while another works on it and says nothing: the doorbell alone tells it. */
import { assert } from "@effect/vitest"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import { Runs } from "@limbeck/distill/run/Runs"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"
import * as Records from "../support/Records.ts"
import * as RunWorkers from "../support/RunWorkers.ts"

const { partition } = RunWorkers
const hourMillis = 3_600_000

export const runCanceled = async (atEnd: AtEnd) => {
  const { schema } = await Records.open(atEnd)
  const workers = RunWorkers.open(atEnd, schema, hourMillis)
  await workers.start(true)
  const version = await workers.version()
  const runs = await workers.run(Runs)
  const records = await workers.run(RunRecords)
  const create = () =>
    workers.run(Effect.map(runs.create(partition, workers.request(version, { dryRun: false })), ({ run }) => run.id))
  const hasBegun = async (id: string) =>
    (await workers.run(records.logs(partition, id, { stage: 2, after: 0, limit: 1 }))).length > 0

  const [id, other] = [await create(), await create()]
  await eventually("both are in their second stage, and silent", async () => (await hasBegun(id)) && hasBegun(other))
  const canceled = await workers.run(runs.cancel(partition, id))
  // No heartbeat tells the worker, whatever time passes.
  await eventually("the attempt is stopped", () => workers.stopped.length > 0)
  assert.deepStrictEqual(workers.stopped, [id])
  assert.deepStrictEqual(await workers.run(runs.get(partition, id)), canceled)
  assert.strictEqual((await workers.run(runs.get(partition, other))).status, "running")
}
