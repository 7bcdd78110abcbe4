/** A server is killed while it trains; the run goes on from its checkpoint and makes the student it would have made. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { Api, countBy, isOver, type Run } from "../Api.ts"
import { embedded, liveToken } from "../Server.ts"

interface LiveRun extends Run {
  readonly totals: { readonly gpu_seconds: number; readonly cost_usd: number }
  readonly student_model: string | null
}

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly step: number }> }>
}

const budget = 1
/** Some seconds of training, of which checkpoints keep all but the last two. */
const size = { rows: 10_000, epochs: 30 }

const planOf = async (api: Api): Promise<unknown> => {
  const lines = tickets({ rows: size.rows, seed: 1 }).map((row) => JSON.stringify(row))
  const upload = await api.upload(lines.join("\n"))
  await api.uploaded(upload)
  const version = await api.built(await api.build(upload))
  return {
    dataset_version: version.id,
    recipe: {
      student_model: "builtin/text-classifier",
      stages: [
        { kind: "sft", config: { epochs: size.epochs } },
        { kind: "eval", config: {} },
        { kind: "publish", config: {} }
      ],
      rewards: []
    },
    budget: { max_cost_usd: budget },
    dry_run: false
  }
}

const read = (api: Api, { id }: Run) => api.get<LiveRun>(`/v1/distill/runs/${id}`)

const ended = (api: Api, run: Run): Promise<LiveRun> =>
  eventually(
    "the run is over",
    async () => {
      const found = await read(api, run)
      return isOver(found) ? found : undefined
    },
    2 * patienceMillis
  )

const artifactOf = async (api: Api, { student_model }: LiveRun) =>
  (await api.get<{ artifact: { sha256: string } | null }>(`/v1/distill/student_models/${student_model}`)).artifact
    ?.sha256

/** Each pass over the rows, of the trials and of the training that follows them. */
const epochsOf = async (api: Api, { id }: LiveRun) => {
  const { series } = await api.get<Metrics>(`/v1/distill/runs/${id}/metrics`)
  return series.find(({ name }) => name === "train_loss")?.points.map(({ step }) => step) ?? []
}

export const liveRuns = async (atEnd: AtEnd) => {
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server, liveToken)
  const plan = await planOf(api)
  const run = await api.create<LiveRun>("/v1/distill/runs", plan)

  let spent = 0
  for (let kill = 0; kill < 2; kill++) {
    const cut = await eventually("the training has kept another checkpoint", async () => {
      const found = await read(api, run)
      assert.isFalse(isOver(found), "the training is over before it was killed")
      return found.stages[1]?.attempt === kill + 1 && found.totals.gpu_seconds > spent ? found : undefined
    })
    spent = cut.totals.gpu_seconds
    await server.kill()
    await server.start()
    assert.isAtLeast((await read(api, run)).totals.gpu_seconds, spent, "what was spent is not forgotten")
  }

  const survivor = await ended(api, run)
  assert.strictEqual(survivor.status, "succeeded", JSON.stringify(survivor))
  assert.deepStrictEqual(
    survivor.stages.map(({ attempt }) => attempt),
    [1, 3, 0, 1, 1]
  )
  const uninterrupted = await ended(api, await api.create<LiveRun>("/v1/distill/runs", plan))
  assert.strictEqual(await artifactOf(api, survivor), await artifactOf(api, uninterrupted))
  assert.isAtMost(survivor.totals.cost_usd, budget)
  assert.isAbove(survivor.totals.gpu_seconds, 0.5 * uninterrupted.totals.gpu_seconds)
  assert.isBelow(survivor.totals.gpu_seconds, 2 * uninterrupted.totals.gpu_seconds)

  const steps = await epochsOf(api, survivor)
  assert.isAtLeast(steps.length, size.epochs)
  assert.deepStrictEqual(
    steps,
    Array.from(steps, (_, index) => index + 1)
  )
  assert.deepStrictEqual(steps, await epochsOf(api, uninterrupted))

  const told = countBy(
    (await api.events()).filter(({ data }) => data.object.id === run.id),
    ({ type }) => type
  )
  assert.deepStrictEqual(Object.fromEntries(told), {
    "distill.run.created": 1,
    "distill.run.started": 1,
    "distill.run.stage_succeeded": 4,
    "distill.run.succeeded": 1
  })
}
