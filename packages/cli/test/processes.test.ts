/** `limbeck serve --processes N`, with real processes. */
import { once } from "node:events"
import { readdir, readFile, readlink } from "node:fs/promises"
import { createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Signal } from "@limbeck/testing/Signal"
import * as Result from "effect/Result"
import * as WorkerProcess from "../src/serve/processes/WorkerProcess.ts"
import * as Settings from "../src/serve/Settings.ts"
import { Api } from "./Api.ts"
import { runHere } from "./InProcess.ts"
import { main, quiet, Server, testToken } from "./Server.ts"

const undos: Array<() => Promise<void> | void> = []
const atEnd = (undo: () => Promise<void> | void) => void undos.push(undo)

const answer = JSON.stringify({ choices: [{ message: { role: "assistant", content: "fine" }, finish_reason: "stop" }] })

/** A request that waits for its answer, and the port from which the server has sent it. */
interface HeldRequest {
  readonly model: string
  readonly fromPort: number
  readonly answer: () => void
}

/** Requests for models of this name wait until the test has them answered. */
const heldModel = "held-"
const held: Array<HeldRequest> = []
const heldChanges = new Signal()

/** Of a client between two calls: 8 clients make some 150 calls a second. */
const pauseMillis = 50

const upstream = async () => {
  const server = createServer(async (request, response) => {
    const { model } = JSON.parse(await text(request)) as { readonly model: string }
    const send = () => void response.writeHead(200, { "content-type": "application/json" }).end(answer)
    if (!model.startsWith(heldModel)) return send()
    held.push({ model, fromPort: request.socket.remotePort ?? 0, answer: send })
    heldChanges.ring()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** The local ports of a process's connections over IPv4. */
const portsOf = async (pid: number): Promise<ReadonlySet<number>> => {
  const names = await readdir(`/proc/${pid}/fd`)
  const targets = new Set(await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => ""))))
  const [, ...rows] = (await readFile(`/proc/${pid}/net/tcp`, "utf8")).trim().split("\n")
  const columns = rows.map((row) => row.trim().split(/\s+/))
  const own = columns.filter(([, , , , , , , , , inode]) => targets.has(`socket:[${inode}]`))
  return new Set(own.map(([, local = ""]) => Number.parseInt(local.split(":")[1] ?? "", 16)))
}

describe("several processes", () => {
  let server: Server
  let api: Api

  /** The worker processes: the parent's other children belong to its database. */
  const members = async (): Promise<ReadonlyArray<number>> => {
    const children = (await readFile(`/proc/${server.pid}/task/${server.pid}/children`, "utf8")).trim().split(" ")
    const commands = await Promise.all(
      children.map(
        async (pid) => [Number(pid), await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")] as const
      )
    )
    return commands.flatMap(([pid, command]) => (command.includes(main) ? [pid] : []))
  }

  /** The processes with samples on the metrics page. */
  const shown = async (): Promise<ReadonlySet<string | undefined>> => {
    const text = await api.text("/metrics")
    return new Set(
      [...text.matchAll(/^process_resident_memory_bytes\{process="(\d+)"\}/gm)].map(([, number]) => number)
    )
  }

  const bothAnswer = () => eventually("both answer", async () => (await shown().catch(() => new Set())).size === 2)

  /**
   * Proxy calls by several concurrent clients until `isOver`, with a pause behind each: a process that starts meanwhile needs the
   * processors too. The ids of answered calls, and the number of failures.
   */
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
        await sleep(pauseMillis)
      } while (!isOver())
    }
    await Promise.all(Array.from({ length: 8 }, client))
    return { ids, unanswered }
  }

  /** On a connection of its own: the status of the answer, or "failed". */
  const requestOnce = async (method: string, path: string, body = "") => {
    const headers = { authorization: `Bearer ${testToken}`, "content-type": "application/json" }
    const sending = request(server.origin + path, { method, headers, agent: false })
    sending.end(body)
    return once(sending, "response").then(
      ([response]: Array<IncomingMessage>) => response?.resume().statusCode,
      () => "failed" as const
    )
  }

  /** The facts of the events of this name in the log. */
  const logged = (event: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
    server.said
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as { readonly message: string; readonly annotations: Record<string, unknown> })
      .filter(({ message }) => message === event)
      .map(({ annotations }) => annotations)

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

  it("are two after one dies while SIGUSR2 replaces it, and the next SIGUSR2 reaches both (P922)", async () => {
    const before = await members()
    server.signal("SIGUSR2")
    await eventually("another one starts", async () => (await members()).length === 3)
    // The first place has its turn first.
    process.kill(before[0]!, "SIGKILL")
    const after = await eventually("none is what it was", async () => {
      const now = await members()
      return now.length === 2 && !now.some((pid) => before.includes(pid)) && now
    })
    await bothAnswer()
    server.signal("SIGUSR2")
    await eventually("both are replaced again", async () => {
      const now = await members()
      return now.length === 2 && !now.some((pid) => after.includes(pid))
    })
    await bothAnswer()
    assert.include(await api.text("/metrics"), 'limbeck_processes{status="serving"} 2')
  })

  it("fail the requests in flight in a process that is killed, and no others (P924)", async () => {
    const [first, second] = await members()
    const models = Array.from({ length: 8 }, (_, index) => `${heldModel}${index}`)
    const calls = models.map((model) =>
      requestOnce(
        "POST",
        "/v1/proxy/chat/completions",
        JSON.stringify({ model, messages: [{ role: "user", content: "?" }] })
      )
    )
    await heldChanges.until("all are in flight", () => held.length === models.length)
    const lost = await portsOf(second!)
    const expected = new Map(held.map(({ fromPort, model }) => [model, lost.has(fromPort) ? "failed" : 200]))
    assert.sameMembers([...new Set(expected.values())], ["failed", 200])
    // The stopped process reads nothing more: some requests are passed to it, and are unread at its death.
    process.kill(second!, "SIGSTOP")
    let answered = 0
    const unread = Array.from({ length: 6 }, () =>
      requestOnce("GET", "/v1/whoami").then((status) => {
        answered++
        return status
      })
    )
    await eventually("the other process answers its share", () => answered > 0)
    process.kill(second!, "SIGKILL")
    assert.deepStrictEqual(await Promise.all(unread), Array(6).fill(200))
    for (const { answer } of held.splice(0)) answer()
    const statuses = await Promise.all(calls)
    assert.deepStrictEqual(
      statuses,
      models.map((model) => expected.get(model))
    )
    assert.include(await members(), first)
    await bothAnswer()
    assert.deepInclude(logged("process_ended").at(-1), { signal: "SIGKILL" })
  })

  it("replace one that hangs, while the other answers (P923)", async () => {
    const before = await members()
    process.kill(before[0]!, "SIGSTOP")
    const answers = await Promise.all(Array.from({ length: 12 }, () => requestOnce("GET", "/v1/whoami")))
    assert.deepStrictEqual(answers, Array(12).fill(200))
    await eventually("another has taken its place", async () => {
      const now = await members()
      return now.length === 2 && !now.includes(before[0] ?? 0)
    })
    await bothAnswer()
    assert.deepInclude(logged("process_hung").at(-1), { unanswered_pings: 16 })
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
  const { code, stderr } = await runHere({ ...quiet, STORAGE: "memory" }, ["serve", "--processes", "2"])
  assert.strictEqual(code, 2)
  assert.deepStrictEqual(stderr, [
    "--processes: 2 cannot be with STORAGE=memory, which is in one process and unknown to the others"
  ])
})

it.each(["0", "two", "1.5", "-1", ""])("%s is no number of processes", (option) => {
  const settings = Result.getOrThrow(Settings.fromEnvironment({}, false))
  assert.deepStrictEqual(
    WorkerProcess.countOf(option, settings),
    Result.fail("--processes: must be a whole number from 1 to 999, or auto")
  )
})

it("several processes divide connections of clients and to Postgres between them", () => {
  const settings = Result.getOrThrow(Settings.fromEnvironment({ MAX_CONNECTIONS: "100" }, false))
  const worker = { number: 1, of: 4, port: 0, embeddedUrl: null }
  assert.strictEqual(WorkerProcess.settingsOf(settings, worker).connectionsMax, 25)
  assert.deepStrictEqual(
    [1, 2, 4, 64].map((of) => WorkerProcess.poolOf({ ...worker, of })),
    [10, 5, 3, 2]
  )
})
