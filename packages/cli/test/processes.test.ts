/** `limbeck serve --processes N`, with real processes. */
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Result from "effect/Result"
import * as Member from "../src/serve/processes/Member.ts"
import * as Settings from "../src/serve/Settings.ts"
import { Api } from "./Api.ts"
import { main, quiet, runToEnd, Server } from "./Server.ts"

const undos: Array<() => Promise<void> | void> = []
const atEnd = (undo: () => Promise<void> | void) => void undos.push(undo)

const answer = JSON.stringify({ choices: [{ message: { role: "assistant", content: "fine" }, finish_reason: "stop" }] })

const upstream = async () => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(200, { "content-type": "application/json" }).end(answer))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

describe("several processes", () => {
  let server: Server
  let api: Api

  /** The processes that answer: the others of the parent are those of its database. */
  const members = async (): Promise<ReadonlyArray<number>> => {
    const children = (await readFile(`/proc/${server.pid}/task/${server.pid}/children`, "utf8")).trim().split(" ")
    const commands = await Promise.all(
      children.map(
        async (pid) => [Number(pid), await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")] as const
      )
    )
    return commands.flatMap(([pid, command]) => (command.includes(main) ? [pid] : []))
  }

  /** Whose samples are on the page of metrics. */
  const shown = async (): Promise<ReadonlySet<string | undefined>> => {
    const text = await api.text("/metrics")
    return new Set(
      [...text.matchAll(/^process_resident_memory_bytes\{process="(\d+)"\}/gm)].map(([, number]) => number)
    )
  }

  const bothAnswer = () => eventually("both answer", async () => (await shown().catch(() => new Set())).size === 2)

  /** Calls through the proxy until `isOver`, by some clients at once: the ids of those that were answered, and how often none was. */
  const callUntil = async (isOver: () => boolean) => {
    const ids: Array<string> = []
    let unanswered = 0
    const client = async () => {
      do {
        const body = { model: "m", messages: [{ role: "user", content: "How is it?" }] }
        const called = await api.call("POST", "/v1/proxy/chat/completions", { body }).catch(() => undefined)
        if (called === undefined) unanswered++
        else if (called.status === 200) ids.push(called.headers.get("x-service-call-id") ?? "")
        else throw new Error(`${called.status}: ${called.text}`)
      } while (!isOver())
    }
    await Promise.all(Array.from({ length: 8 }, client))
    return { ids, unanswered }
  }

  beforeAll(async () => {
    const environment = { ...quiet, DATA_DIR: await temporaryFolder(atEnd), EGRESS_ALLOW: "127.0.0.0/8" }
    server = await new Server(atEnd, environment, ["serve", "--processes", "2"]).start()
    api = new Api(server)
    const source = { name: "up", kind: "byok", base_url: await upstream(), api_key: "sk", default: true }
    await api.create("/v1/sources", source)
  })

  afterAll(async () => {
    for (const undo of undos.reverse()) await undo()
  })

  it("answer on one port, and one page shows the metrics of each under its number (P190)", async () => {
    assert.lengthOf(await members(), 2)
    assert.deepStrictEqual([...(await shown())].sort(), ["1", "2"])
    const page = await api.text("/metrics")
    const families = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    assert.strictEqual(new Set(families).size, families.length)
  })

  it("survive each other: where one is killed under load another takes its place, and each answered call is stored once (P191)", async () => {
    const before = await members()
    let isReplaced = false
    const calling = callUntil(() => isReplaced)
    assert.lengthOf(before, 2)
    process.kill(before[1]!, "SIGKILL")
    await eventually("another has taken its place", async () => {
      const now = await members()
      return now.length === 2 && !now.includes(before[1] ?? 0)
    })
    await bothAnswer()
    isReplaced = true
    const { ids } = await calling
    assert.isAbove(ids.length, 0)
    const stored = await eventually("all are stored", async () => {
      const calls = (await api.list<{ id: string }>("/v1/distill/calls")).map(({ id }) => id)
      return ids.every((id) => calls.includes(id)) ? calls : undefined
    })
    assert.strictEqual(new Set(stored).size, stored.length)
  })

  it("are replaced one by one at SIGUSR2, and no request fails by it (P192)", async () => {
    const before = await members()
    let isReplaced = false
    const calling = callUntil(() => isReplaced)
    server.signal("SIGUSR2")
    await eventually("none is what it was", async () => {
      const now = await members()
      return now.length === 2 && !now.some((pid) => before.includes(pid))
    })
    await bothAnswer()
    isReplaced = true
    assert.strictEqual((await calling).unanswered, 0)
  })

  it("drain together, and leave nothing behind (P193)", async () => {
    const before = await members()
    const calls = callUntil(() => true)
    await calls
    const { code, stderr } = await server.stop()
    assert.deepStrictEqual([code, stderr], [0, []])
    const left = await Promise.all(before.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")))
    assert.isFalse(left.some((command) => command.includes(main)))
  })
})

it("several processes cannot share what is in memory, and are refused with the reason (P194)", async () => {
  const { code, stderr } = await runToEnd({ ...quiet, STORAGE: "memory" }, ["serve", "--processes", "2"])
  assert.strictEqual(code, 2)
  assert.deepStrictEqual(stderr, [
    "--processes: 2 cannot be with STORAGE=memory, which is in one process and unknown to the others"
  ])
})

it.each(["0", "two", "1.5", "-1", ""])("%s is no number of processes", (asked) => {
  const settings = Result.getOrThrow(Settings.fromEnvironment({}, false))
  assert.deepStrictEqual(
    Member.countOf(asked, settings),
    Result.fail("--processes: must be a whole number from 1 to 999, or auto")
  )
})

it("several processes divide connections of clients and to Postgres between them", () => {
  const settings = Result.getOrThrow(Settings.fromEnvironment({ MAX_CONNECTIONS: "100" }, false))
  const member = { number: 1, of: 4, port: 0, embeddedUrl: null }
  assert.strictEqual(Member.settingsOf(settings, member).connectionsMax, 25)
  assert.deepStrictEqual(
    [1, 2, 4, 64].map((of) => Member.poolOf({ ...member, of })),
    [10, 5, 3, 2]
  )
})
