/** Three servers on one database and one journal's folder proxy under load, and are killed again and again. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { luck } from "@limbeck/testing/random/Luck"
import * as CapturedCalls from "../support/CapturedCalls.ts"
import { ProxyClients, post } from "../support/ProxyClients.ts"
import * as ProxyServers from "../support/ProxyServers.ts"

const kills = caseCount(3, 100)
const places = 3
const clientsEach = 6
/** Before a server is killed. */
const answersMin = 3

/** A folder may vanish with its last shipped segment. */
const namesIn = (directory: string): ReadonlyArray<string> => {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [] // What node:fs throws.
    throw error
  }
}

/** One folder per server, removed with its last segment. Snapshots of caches are files beside the folders. */
const segmentsIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => namesIn(join(directory, name)))
    .filter((name) => name.endsWith(".calls"))

export const callsKilled = async (atEnd: AtEnd) => {
  const calls = await CapturedCalls.open(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const servers = ProxyServers.open(atEnd, { url, schema: calls.schema, directory, token: ProxyServers.token })
  const clients = new ProxyClients()
  const next = luck(20_261_120)

  // One alone at first: it makes the tables.
  const first = await servers.start().origin
  const base_url = await ProxyServers.model(atEnd)
  await post(first, "/v1/sources", { name: "m", kind: "byok", base_url, api_key: "sk-0123456789", default: true })

  let killed = 0
  let leftBehind = 0
  const place = async () => {
    while (killed < kills) {
      const server = servers.start()
      let answers = 0
      const loading = clients.load(await server.origin, clientsEach, new AbortController().signal, () => answers++)
      await sleep(100 + next() * 300)
      await eventually("it is under load", () => answers > answersMin)
      killed++
      await server.end()
      await loading
      leftBehind = Math.max(leftBehind, segmentsIn(directory).length)
    }
  }
  await Promise.all(Array.from({ length: places }, place))
  await servers.all[0]?.end("SIGTERM")

  const last = servers.start()
  await last.origin
  await eventually("all that the dead left is shipped", () => segmentsIn(directory).length === 0)
  await last.end("SIGTERM")

  const stored = await calls.all()
  const byId = new Map(stored.map((call) => [call.id, call]))
  const lost = clients.received.filter(({ id }) => !byId.has(id))
  assert.deepStrictEqual(lost, [])
  for (const { id, mark } of clients.received) {
    const call = byId.get(id)
    assert.include(call?.request, mark)
    assert.include(call?.response, mark)
    assert.strictEqual(call?.outcome, "succeeded")
  }
  const marks = stored.map(({ request }) => request)
  assert.strictEqual(new Set(marks).size, marks.length)
  assert.isAbove(clients.received.length, answersMin * kills)
  assert.deepStrictEqual(clients.refused, [])
  assert.isAbove(leftBehind, 0)
  return { received: clients.received.length, stored: stored.length }
}
