/** Random operations on one balance by many clients, at two servers that are killed again and again; then the ledger is audited. */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { client } from "@limbeck/testing/http/Client"
import { create } from "@limbeck/testing/http/SourceSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Generator from "@limbeck/testing/random/Generator"
import * as LedgerAudit from "./LedgerAudit.ts"
import { LedgerClients } from "./LedgerClients.ts"
import { LedgerServers } from "./LedgerServers.ts"

export interface CampaignOptions {
  readonly url: string
  readonly schema: string
  /** Minimum number of requests; clients continue until each of `outcomes`, such as `call 402`, has occurred. */
  readonly operations: number
  readonly outcomes: ReadonlyArray<string>
  readonly clients: number
  readonly kills: number
  readonly seed: number
}

const token = "svc_live_0123456789abcdefghijklmnopqrstuv"

/** A call may cost a few hundred micro-dollars; some exceed their declared cost. */
const price = { id: "gpt", input_per_million: 1, output_per_million: 10 }

const upstream = async (atEnd: AtEnd, random: Generator.Generator): Promise<string> => {
  const server = createServer(async (request, response) => {
    await request.toArray()
    if (random.below(20) === 0) return void response.writeHead(500).end("{}")
    const usage = {
      prompt_tokens: 1 + random.below(20),
      completion_tokens: random.below(random.below(10) === 0 ? 400 : 20)
    }
    const message = { role: "assistant", content: "yes" }
    response.writeHead(200, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", choices: [{ index: 0, message }], usage })
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` // It listens on a port.
}

const folder = (atEnd: AtEnd): string => {
  const made = mkdtempSync(join(tmpdir(), "limbeck-ledger-"))
  atEnd(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** All runs have ended, and no call waits in a journal. */
const settled = async ({ schema, url }: CampaignOptions, servers: LedgerServers): Promise<boolean> => {
  const work = "SELECT count(*)::float8 AS runs FROM work WHERE topic = 'run'"
  const [left] = await LedgerAudit.rowsOf(url, schema, work)
  if (left?.["runs"] !== 0) return false
  const healths = await Promise.all(
    servers.origins.map((origin) =>
      client(origin, null).get<{ readonly capture: { readonly waiting: number } }>("/healthz")
    )
  )
  return healths.every(({ body }) => body.capture.waiting === 0)
}

/** Kills one after the other, evenly over the operations, and starts it again. */
const killing = async (options: CampaignOptions, servers: LedgerServers, done: () => number): Promise<void> => {
  for (let kill = 1; kill <= options.kills; kill++) {
    const at = (options.operations * kill) / (options.kills + 1)
    await eventually("the operations go on", () => done() >= at)
    await servers.kill(kill % 2)
    await servers.start(kill % 2)
  }
}

export const run = async (atEnd: AtEnd, options: CampaignOptions) => {
  const random = Generator.make(options.seed)
  const [directory, cache] = [folder(atEnd), folder(atEnd)]
  const servers = new LedgerServers(atEnd, { url: options.url, schema: options.schema, directory, token }, cache)
  // One alone at first: it makes the tables.
  await servers.start(0)
  await servers.start(1)
  const setUp = client(servers.origins[0] ?? "", token)
  const base_url = await upstream(atEnd, random)
  await create(setUp, { kind: "managed", base_url, models: [price], default: true })
  const { id: version } = await ticketsVersion(setUp)
  const clients = new LedgerClients(servers, random, token, version)
  await clients.topUpOf("first", 5_000)

  const startedAt = performance.now()
  let [begun, done] = [0, 0]
  // Which operations are refused depends on how the clients' requests interleave.
  const isMissing = () => options.outcomes.some((outcome) => !clients.outcomes.has(outcome))
  const work = async () => {
    while (begun++ < options.operations || isMissing()) {
      await clients.perform()
      done++
    }
  }
  await Promise.all([killing(options, servers, () => done), ...Array.from({ length: options.clients }, work)])
  const seconds = (performance.now() - startedAt) / 1_000
  await eventually("all is settled", () => settled(options, servers))
  await servers.stop()
  const audited = await LedgerAudit.audit(options.url, options.schema, clients.topUps)
  return { ...audited, operations: done, seconds, outcomes: clients.outcomes }
}
