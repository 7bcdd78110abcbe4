/** A server is killed while it trains; the run goes on from its checkpoint and makes the student it would have made. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { client, freshDatabase } from "@limbeck/testing/database/Database"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Effect from "effect/Effect"
import { Api, countBy, isOver, type Run } from "../Api.ts"
import { liveToken, quiet, Server } from "../Server.ts"
import * as Hold from "./Hold.ts"

interface LiveRun extends Run {
  readonly totals: { readonly gpu_seconds: number; readonly cost_usd: number }
  readonly student_model: string | null
}

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly step: number }> }>
}

const budget = 1
/** Enough for several checkpoints in each training, by the steps that are counted as seconds. */
const size = { rows: 500, epochs: 10 }

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

/** The checkpoint that the sft stage of the only run has kept. */
const checkpointOf = (database: string): Promise<string> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client("limbeck", database)
        const [row] = yield* sql<{ sha256: string }>`
          SELECT doc #>> '{stages,1,checkpoint,state,sha256}' AS sha256 FROM resources WHERE kind = 'distill_run'`
        return row?.sha256 ?? ""
      })
    )
  )

/** Each pass over the rows, of the trials and of the training that follows them. */
const epochsOf = async (api: Api, { id }: LiveRun) => {
  const { series } = await api.get<Metrics>(`/v1/distill/runs/${id}/metrics`)
  return series.find(({ name }) => name === "train_loss")?.points.map(({ step }) => step) ?? []
}

/** Each kill comes at a place where the training has kept another checkpoint and waits to write what follows it. */
export const liveRuns = async (atEnd: AtEnd) => {
  const database = await freshDatabase(atEnd)
  const server = await new Server(atEnd, {
    ...quiet,
    DATABASE_URL: database,
    ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64"),
    NODE_OPTIONS: `--import=${new URL("./CountedTrainings.mjs", import.meta.url)}`
  }).start()
  const api = new Api(server, liveToken)
  const plan = await planOf(api)
  await Hold.hold(database, Hold.checkpointKept)
  const run = await api.create<LiveRun>("/v1/distill/runs", plan)

  let spent = 0
  for (let kill = 0; kill < 2; kill++) {
    await Hold.isHeld(database)
    const cut = await read(api, run)
    assert.strictEqual(cut.stages[1]?.attempt, kill + 1)
    assert.isAbove(cut.totals.gpu_seconds, spent, "the resumed training has kept a checkpoint of its own")
    spent = cut.totals.gpu_seconds
    await server.kill()
    await Hold.endWaiting(database)
    await Hold.letPass(database, await checkpointOf(database))
    await server.start()
    assert.isAtLeast((await read(api, run)).totals.gpu_seconds, spent, "what was spent is not forgotten")
  }
  await Hold.release(database)

  const survivor = await ended(api, run)
  assert.strictEqual(survivor.status, "succeeded", JSON.stringify(survivor))
  assert.deepStrictEqual(
    survivor.stages.map(({ attempt }) => attempt),
    [1, 3, 0, 1, 1]
  )
  const uninterrupted = await ended(api, await api.create<LiveRun>("/v1/distill/runs", plan))
  assert.strictEqual(await artifactOf(api, survivor), await artifactOf(api, uninterrupted))
  assert.isAtMost(survivor.totals.cost_usd, budget)
  // Each retry reads the rows again, and nothing of the checkpoint before it is counted twice.
  assert.isAbove(survivor.totals.gpu_seconds, uninterrupted.totals.gpu_seconds)
  assert.isBelow(survivor.totals.gpu_seconds, uninterrupted.totals.gpu_seconds + spent)

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
