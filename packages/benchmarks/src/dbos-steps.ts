/**
 * Runs of five steps with DBOS: a workflow of five steps, each a transaction that updates the run's row and stores an
 * event, like the plain ones. Started by `Child` with the database's URL and the file of DBOS.
 */
import { createRequire } from "node:module"
import { report } from "./Child.ts"
import * as PlainSteps from "./PlainSteps.ts"
import type { Command } from "./runs-engine.ts"

interface Client {
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Promise<unknown>
  readonly release: () => void
}

interface Database {
  readonly query: Client["query"]
  readonly connect: () => Promise<Client>
}

interface Dbos {
  readonly setConfig: (config: object) => void
  readonly launch: () => Promise<void>
  readonly registerWorkflow: <A>(workflow: (input: A) => Promise<void>, options: object) => (input: A) => Promise<void>
  readonly runStep: (step: () => Promise<void>, options: object) => Promise<void>
}

const [databaseUrl = "", file = ""] = process.argv.slice(2)
const require = createRequire(file)
// The types above describe the used exports.
const { DBOS } = require(file) as { readonly DBOS: Dbos }
const { Pool } = require("pg") as { readonly Pool: new (options: object) => Database }
const database = new Pool({ connectionString: databaseUrl, max: 2 * PlainSteps.clients })

const step = async (run: number, number: number): Promise<void> => {
  const client = await database.connect()
  await client.query("BEGIN")
  await client.query(PlainSteps.changeRun, [run, `step ${number}`, PlainSteps.body])
  await client.query(PlainSteps.storeEvent, [run, `step ${number}`, PlainSteps.body])
  await client.query("COMMIT")
  client.release()
}

const workflow = DBOS.registerWorkflow(
  async (run: number) => {
    for (let number = 1; number <= PlainSteps.steps; number++) {
      await DBOS.runStep(() => step(run, number), { name: `step ${number}` })
    }
  },
  { name: "run" }
)

let left = 0

const create = async (runs: number) => {
  // It rejects an address without a host, such as a socket's; with a pool it uses none.
  const systemDatabaseUrl = "postgresql://bench@localhost/bench"
  DBOS.setConfig({ name: "bench", systemDatabaseUrl, systemDatabasePool: database, logLevel: "error" })
  await DBOS.launch()
  for (const statement of PlainSteps.createTables) await database.query(statement)
  await database.query(PlainSteps.createRuns, [PlainSteps.body, runs])
  left = runs
}

const work = async () => {
  while (left > 0) await workflow(left--)
}

report("runs", (command) => {
  // Only the benchmark sends commands, and it sends these.
  const asked = command as Command
  if (asked.kind === "create") return create(asked.runs)
  for (let client = 0; client < PlainSteps.clients; client++) void work()
  return null
})
