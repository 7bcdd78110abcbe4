/**
 * Webhooks with pg-boss: jobs fetched a hundred at a time, signed, sent, and completed in one transaction with a row per
 * attempt. Started by `Child` with the database's URL, the receiver's, and the file of pg-boss.
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import * as ByHand from "./ByHand.ts"
import { report } from "./Child.ts"
import type { Command } from "./plain-sender.ts"

interface Client {
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Promise<unknown>
  readonly release: () => void
}

interface Database {
  readonly query: Client["query"]
  readonly connect: () => Promise<Client>
}

interface Boss {
  readonly on: (event: "error", heard: (error: unknown) => void) => unknown
  readonly start: () => Promise<unknown>
  readonly createQueue: (name: string) => Promise<void>
  readonly insert: (name: string, jobs: ReadonlyArray<{ readonly data: object }>) => Promise<unknown>
  readonly fetch: (
    name: string,
    options: { readonly batchSize: number }
  ) => Promise<ReadonlyArray<{ readonly id: string; readonly data: { readonly body: string } }>>
  readonly complete: (
    name: string,
    ids: ReadonlyArray<string>,
    data: null,
    options: { readonly db: { readonly executeSql: Client["query"] } }
  ) => Promise<unknown>
}

const [databaseUrl = "", receiver = "", file = ""] = process.argv.slice(2)
// The types above describe the used exports.
const { PgBoss } = (await import(pathToFileURL(file).href)) as { readonly PgBoss: new (options: object) => Boss }
const { Pool } = createRequire(file)("pg") as { readonly Pool: new (options: object) => Database }

const queue = "deliveries"
const filledAtOnce = 1_000
const database = new Pool({ connectionString: databaseUrl, max: 4 })
const boss = new PgBoss({ connectionString: databaseUrl, max: 4, supervise: false, schedule: false })
boss.on("error", (error) => process.stderr.write(`pg-boss: ${error}\n`))
const send = ByHand.sender(receiver)

const fill = async (jobs: number) => {
  await boss.start()
  await boss.createQueue(queue)
  for (const statement of ByHand.createAttempts) await database.query(statement)
  for (let left = jobs; left > 0; left -= filledAtOnce) {
    await boss.insert(
      queue,
      Array.from({ length: Math.min(left, filledAtOnce) }, () => ({ data: { body: ByHand.body } }))
    )
  }
}

const work = async () => {
  while (true) {
    const jobs = await boss.fetch(queue, { batchSize: ByHand.claimSize })
    if (jobs.length === 0) return
    const sent = await Promise.all(jobs.map(({ data, id }) => send({ id, body: data.body })))
    const client = await database.connect()
    const ids = jobs.map(({ id }) => id)
    await client.query("BEGIN")
    await client.query(ByHand.insertAttempts, [JSON.stringify(sent)])
    await boss.complete(queue, ids, null, { db: { executeSql: (text, values) => client.query(text, values) } })
    await client.query("COMMIT")
    client.release()
  }
}

report("sender", (command) => {
  // Only the benchmark sends commands, and it sends these.
  const asked = command as Command
  if (asked.kind === "fill") return fill(asked.jobs)
  void work()
  return null
})
