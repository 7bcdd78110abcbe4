/** A server is killed in the middle of an evaluation at an endpoint; what was recorded is not asked again. */
import { assert } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, isOver, type Run } from "../Api.ts"
import { usedFolder } from "../DataFolder.ts"
import { liveToken, quiet, Server } from "../Server.ts"
import { evaluationOf, student } from "./EndpointStudents.ts"
import { heldModel } from "./HeldModel.ts"

const count = 120
/** Rows answered before the kill: several batches. */
const answeredFirst = 30

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly value: number }> }>
}

const recordedOf = async (api: Api, { id }: Run): Promise<number> => {
  const { series } = await api.get<Metrics>(`/v1/distill/runs/${id}/metrics`)
  return series.find(({ name }) => name === "holdout_rows")?.points.at(-1)?.value ?? 0
}

export const evaluations = async (atEnd: AtEnd) => {
  const { asked, base, release } = await heldModel(atEnd, answeredFirst, student)
  const DATA_DIR = await usedFolder(atEnd)
  const environment = { ...quiet, STORAGE: "embedded", DATA_DIR, EGRESS_ALLOW: "127.0.0.0/8" }
  const server = await new Server(atEnd, environment).start()
  const api = new Api(server, liveToken)
  const { holdout, plan, student: id } = await evaluationOf(api, { base_url: base, rows: 2 * count })
  const run = await api.create<Run>("/v1/distill/runs", plan)
  await eventually("all that is answered is recorded, and as much is asked as may be at once", async () => {
    const isAsked = asked.length === answeredFirst + DistillLimits.studentAskedMax
    return isAsked && (await recordedOf(api, run)) === answeredFirst
  })
  const before = asked.length
  await server.kill()
  release()
  await server.start()
  const ended = await eventually("the run is over", async () => {
    const found = await api.get<Run>(`/v1/distill/runs/${run.id}`)
    return isOver(found) ? found : undefined
  })
  assert.strictEqual(ended.status, "succeeded")
  // Only rows asked but unanswered at the kill are asked again.
  assert.strictEqual(asked.length, holdout + (before - answeredFirst))
  assert.strictEqual(new Set(asked).size, holdout)
  const again = new Set(asked.slice(before))
  assert.isTrue(asked.slice(0, answeredFirst).every((question) => !again.has(question)))
  const found = await api.get<{ readonly accuracy: number }>(`/v1/distill/student_models/${id}`)
  assert.strictEqual(found.accuracy, 1)
}
