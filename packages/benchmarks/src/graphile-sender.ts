/**
 * Webhooks with graphile-worker: one job each, signed, sent, and stored with an attempt row before completion. Started by
 * `Child` with the database's URL, the receiver's, and the file of graphile-worker.
 */
import { createRequire } from "node:module"
import * as ByHand from "./ByHand.ts"
import { report } from "./Child.ts"
import type { Command } from "./plain-sender.ts"

type Query = (text: string, values?: ReadonlyArray<unknown>) => Promise<unknown>

interface Job {
  readonly job: { readonly id: string }
  readonly query: Query
}

interface Utils {
  readonly migrate: () => Promise<void>
  readonly withPgClient: (use: (client: { readonly query: Query }) => Promise<unknown>) => Promise<unknown>
}

interface Options {
  readonly connectionString: string
  readonly concurrency: number
  readonly maxPoolSize: number
  readonly logger: unknown
  readonly taskList: { readonly deliver: (payload: { readonly body: string }, job: Job) => Promise<void> }
}

interface Graphile {
  readonly run: (options: Options) => Promise<unknown>
  readonly makeWorkerUtils: (options: Pick<Options, "connectionString" | "logger">) => Promise<Utils>
  readonly Logger: new (make: () => () => void) => unknown
}

const [connectionString = "", receiver = "", file = ""] = process.argv.slice(2)
// The types above describe the used exports.
const { Logger, makeWorkerUtils, run } = createRequire(file)(file) as Graphile
const logger = new Logger(() => () => {})
const send = ByHand.sender(receiver)

const fill = async (jobs: number) => {
  const utils = await makeWorkerUtils({ connectionString, logger })
  await utils.migrate()
  await utils.withPgClient(async (client) => {
    for (const statement of ByHand.createAttempts) await client.query(statement)
    await client.query(`SELECT count(graphile_worker.add_job('deliver', $1::json)) FROM generate_series(1, $2::int)`, [
      JSON.stringify({ body: ByHand.body }),
      jobs
    ])
  })
}

const work = () =>
  run({
    connectionString,
    logger,
    concurrency: 64,
    maxPoolSize: 10,
    taskList: {
      deliver: async ({ body }, { job, query }) => {
        await query(ByHand.insertAttempts, [JSON.stringify([await send({ id: job.id, body })])])
      }
    }
  })

report("sender", (command) => {
  // Only the benchmark sends commands, and it sends these.
  const asked = command as Command
  if (asked.kind === "fill") return fill(asked.jobs)
  void work()
  return null
})
