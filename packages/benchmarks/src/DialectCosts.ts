/**
 * The CPU of a captured call in each dialect, beside chat completions of another checkout where BENCH_OTHER names its folder. In short
 * turns, so that other load affects all alike; each ratio is of one turn.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import * as Child from "./Child.ts"
import { type GatewaySetup, load, otherDialects, ours } from "./Gateways.ts"
import * as Postgres from "./Postgres.ts"
import { spreadOf } from "./Rounds.ts"
import * as Table from "./Table.ts"

interface Options {
  readonly upstream: Child.Child
  /** Of the journals. */
  readonly directory: string
  readonly clients: number
  readonly turns: number
  readonly turnMillis: number
}

/** Older commits have it in another package. */
const programOf = (checkout: string): URL => {
  const files = ["packages/benchmarks/src/gateway.ts", "packages/limbeck/benchmarks/gateway.ts"]
  const found = files.map((file) => path.resolve(checkout, file)).find((file) => fs.existsSync(file))
  if (found === undefined) throw new Error(`BENCH_OTHER: ${checkout} has no benchmark of the proxy`)
  return pathToFileURL(found)
}

const spent = async (way: GatewaySetup, { clients, turnMillis }: Options): Promise<number> => {
  const { cpuMicros, done } = await Child.spending(way.child, async () => {
    const measured = await load(way, clients, turnMillis, false)
    await way.settle?.()
    return measured
  })
  return cpuMicros / done.calls
}

const compare = async (ways: ReadonlyArray<GatewaySetup>, options: Options) => {
  for (const way of ways) await load(way, options.clients, 3_000, false)
  const micros = ways.map((): Array<number> => [])
  for (let turn = 0; turn < options.turns; turn++) {
    // Each way comes first as often as any other.
    for (let index = 0; index < ways.length; index++) {
      const place = (index + turn) % ways.length
      const way = ways[place]
      if (way !== undefined) micros[place]?.push(await spent(way, options))
    }
  }
  const [chat = []] = micros
  const rows = ways.map(({ name }, place) => {
    const own = micros[place] ?? []
    const ratios = spreadOf(own.map((value, turn) => value / (chat[turn] ?? value)))
    const of = (value: number) => Table.figure(value, 3)
    return [name, Table.figure(spreadOf(own).median), `${of(ratios.median)} (${of(ratios.least)}–${of(ratios.most)})`]
  })
  const title = `captured calls by dialect: ${options.turns} turns of ${options.turnMillis} ms, ${options.clients} clients`
  Table.print(title, ["calls", "CPU µs each, median", "of chat in the same turn"], rows)
}

export const run = async (options: Options, other = process.env["BENCH_OTHER"]): Promise<void> => {
  const { directory, upstream } = options
  await Postgres.use(async (url) => {
    const chat = { ...(await ours(upstream, url, path.join(directory, "dialects"))), name: "chat completions" }
    const ways = [chat, ...(await otherDialects(chat, upstream))]
    if (other === undefined) await compare(ways, options)
    else {
      await Postgres.use(async (otherUrl) => {
        const before = await ours(upstream, otherUrl, path.join(directory, "before"), undefined, programOf(other))
        await compare([...ways, { ...before, name: "chat completions, other checkout" }], options)
        await before.child.stop()
      })
    }
    await chat.child.stop()
  })
}
