/** 10,000 random operations on one balance by 20 clients, on two servers killed 40 times: whether the ledger adds up. */
import * as LedgerCampaign from "./LedgerCampaign.ts"
import * as Postgres from "./Postgres.ts"
import * as Table from "./Table.ts"

const operations = Number(process.env["BENCH_OPERATIONS"] ?? 10_000)
const kills = Number(process.env["BENCH_KILLS"] ?? 40)
const seed = Number(process.env["BENCH_SEED"] ?? 1)

export const main = (): Promise<void> =>
  Postgres.use(async (url) => {
    const undos: Array<() => Promise<void> | void> = []
    const options = { url, schema: "limbeck", operations, outcomes: [], clients: 20, kills, seed }
    const found = await LedgerCampaign.run((undo) => undos.push(undo), options).finally(async () => {
      for (const undo of undos.toReversed()) await undo()
    })
    const { outcomes, ...figures } = found
    Table.print(
      `\n${operations} operations by 20 clients, ${kills} kills, seed ${seed}: the ledger adds up`,
      ["figure", "value"],
      Object.entries(figures).map(([name, value]) => [name, Table.figure(value, name === "seconds" ? 1 : 0)])
    )
    Table.print(
      "\nwhat came of the operations",
      ["operation", "times"],
      [...outcomes].toSorted().map(([name, times]) => [name, Table.figure(times, 0)])
    )
  })
