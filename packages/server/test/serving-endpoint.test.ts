/** A student at its own endpoint: asked first, and replaced unnoticed when it fails (contract 7). */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { deployAndWait, llm, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { answered, asked, call, chat, fallbackTo, saidIn, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const { id: version } = await ticketsVersion(live)
  return { workspace, live, student: await studentOf(live, llm, version) }
}

const stream = { "content-type": "text/event-stream" }

/** Sends `words` instead of a response, and hangs up. */
const rude = async (words: string): Promise<{ readonly base: string; readonly close: () => void }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("data", () => socket.write(words, () => socket.destroy()))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { base: `http://127.0.0.1:${port}/v1`, close }
}

const endpointProcess = async (): Promise<{ readonly child: ChildProcess; readonly base: string }> => {
  const file = fileURLToPath(new URL("./fixtures/EndpointProcess.ts", import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] })
  const [port] = await once(child.stdout, "data")
  return { child, base: `http://127.0.0.1:${String(port).trim()}/v1` }
}

onOneStorage(
  "a student at an endpoint",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    const ask = async (workspace: Workspace, body: unknown) => answered(await call(house, workspace, body))

    const deploy = (live: Client, student_model: string, alias: string, base_url: string, fields = {}) =>
      deployAndWait(live, {
        alias,
        student_model,
        mode: "active",
        endpoint: { base_url, model: "student-1", api_key: key },
        ...fields
      })

    it("gets the request with its own model and key, and its answer passes byte for byte (P84)", async () => {
      const { live, student, workspace } = await story()
      const bytes = '{ "choices" : [], "odd": "\\u00e9" }'
      const base = models.base((_, response) => response.writeHead(200, { "x-own": "1" }).end(bytes))
      await deploy(live, student, "end.bytes", base)
      const sent = '{"messages":[ ], "model" : "svc:end.bytes", "é":1.0}'
      const response = await call(house, workspace, sent, { headers: { "openai-beta": "b" } })
      assert.strictEqual(response.headers.get("x-own"), "1")
      assert.deepInclude(await answered(response), { status: 200, servedBy: "student", text: bytes })
      const [seen, ...others] = models.at(base)
      assert.isEmpty(others)
      assert.strictEqual(seen?.body, sent.replace("svc:end.bytes", "student-1"))
      assert.deepInclude(seen?.headers, { authorization: `Bearer ${key}`, "openai-beta": "b" })
    })

    it("streams piece by piece, and a stream that breaks off is broken off", async () => {
      const { live, student, workspace } = await story()
      const pieces = ["data: 1\n\n", "data: é", "\n\n"]
      let isCut = false
      const base = models.base(async (request, response) => {
        response.writeHead(200, stream)
        for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve))
        if (isCut) request.socket.destroy()
        else response.end()
      })
      const fallback = await fallbackTo(live, models.speaking("not this"))
      await deploy(live, student, "end.stream", base, { fallback })
      const body = asked("end.stream", "hello", { stream: true })
      assert.deepInclude(await ask(workspace, body), { servedBy: "student", text: pieces.join("") })
      isCut = true
      const broken = await call(house, workspace, body)
      assert.strictEqual(broken.headers.get("x-service-served-by"), "student")
      const failure = await broken.text().then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(failure, TypeError)
    })

    it("is replaced by the fallback when it is away, fails, refuses, or ends before its first byte (P80)", async () => {
      const { live, student, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("from above"))
      const whole = '{"object":"chat.completion","choices":[]}'
      const cut = await Promise.all([
        rude(""),
        rude("HTTP/1.1 200 OK\r\nContent-Ty"),
        rude("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
        rude("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        rude(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${whole.length}\r\n\r\n${whole.slice(0, 9)}`
        ),
        rude("SSH-2.0-OpenSSH_9.6\r\n")
      ])
      const statuses = [302, 400, 401, 404, 429, 500, 503]
      const bases = [
        Models.closed,
        ...cut.map(({ base }) => base),
        ...statuses.map((status) => models.base((_, response) => response.writeHead(status).end("no")))
      ]
      for (const [index, base] of bases.entries()) {
        const alias = `end.away-${index}`
        await deploy(live, student, alias, base, { fallback })
        const answer = await ask(workspace, asked(alias))
        assert.deepStrictEqual(
          [answer.status, answer.servedBy, saidIn(answer)],
          [200, "upstream_fallback", "from above"],
          base
        )
      }
      for (const { close } of cut) close()
    })

    it("is replaced when its first byte does not come in time, and its head does not count (P80)", async () => {
      const { live, student, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("from above"))
      const closed: Array<Promise<unknown>> = []
      const silent = [
        models.base((_, response) => void closed.push(once(response, "close"))),
        models.base((_, response) => {
          closed.push(once(response, "close"))
          response.writeHead(200, stream).flushHeaders()
        })
      ]
      for (const [index, base] of silent.entries()) {
        const alias = `end.slow-${index}`
        await deploy(live, student, alias, base, { fallback, timeout_ms: 1_000 })
        const answer = await ask(workspace, asked(alias))
        assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "from above"])
      }
      await Promise.all(closed)
      assert.lengthOf(closed, 2)
    })

    it("is replaced when an answer that is no stream stops in the middle (P884)", async () => {
      const { live, student, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("from above"))
      const closed: Array<Promise<unknown>> = []
      const stopping = models.base((_, response) => {
        closed.push(once(response, "close"))
        response.writeHead(200, { "content-type": "application/json" }).write('{"object":"chat.completion",')
      })
      await deploy(live, student, "end.stops", stopping, { fallback, timeout_ms: 1_000 })
      const answer = await ask(workspace, asked("end.stops"))
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "from above"])
      await deploy(live, student, "end.stops.alone", stopping, { timeout_ms: 100 })
      assertRefused(await live.post(chat, asked("end.stops.alone")), 504, "api_error")
      await Promise.all(closed)
      assert.lengthOf(closed, 2)
    })

    it("may take its time after the first byte", async () => {
      const { live, student, workspace } = await story()
      let go = () => {}
      const base = models.base(async (_, response) => {
        response.writeHead(200, stream).write("data: 1\n\n")
        await new Promise<void>((resolve) => {
          go = resolve
        })
        response.end("data: 2\n\n")
      })
      await deploy(live, student, "end.thinks", base, { timeout_ms: 10_000 })
      const response = await call(house, workspace, asked("end.thinks", "hello", { stream: true }))
      house.passTime(20_000)
      go()
      assert.strictEqual(await response.text(), "data: 1\n\ndata: 2\n\n")
    })

    it("without a fallback its failure is told: unreachable, late, or what it refuses as it says it", async () => {
      const { live, student, workspace } = await story()
      const silent = models.base(() => {})
      const cases: ReadonlyArray<readonly [string, number]> = [
        [Models.closed, 502],
        [models.base((_, response) => response.writeHead(503).end("no")), 502],
        [silent, 504]
      ]
      for (const [index, [base, status]] of cases.entries()) {
        await deploy(live, student, `end.alone-${index}`, base, { timeout_ms: base === silent ? 100 : 60_000 })
        assertRefused(await live.post(chat, asked(`end.alone-${index}`)), status, "api_error")
      }
      const refusing = models.base((_, response) =>
        response.writeHead(400, { "x-own": "1" }).end('{"error":"too long"}')
      )
      await deploy(live, student, "end.alone", refusing)
      assert.deepInclude(await ask(workspace, asked("end.alone")), {
        status: 400,
        servedBy: "student",
        text: '{"error":"too long"}'
      })
    })

    it("a client that goes away ends the endpoint's work", async () => {
      const { live, student, workspace } = await story()
      const leaving = new AbortController()
      let closed: Promise<unknown> = Promise.resolve()
      const base = models.base((_, response) => {
        closed = once(response, "close")
        leaving.abort()
      })
      const fallbackBase = models.speaking("nobody waits")
      await deploy(live, student, "end.left", base, { fallback: await fallbackTo(live, fallbackBase) })
      const failure = await call(house, workspace, asked("end.left"), { signal: leaving.signal }).catch(
        (error) => error
      )
      assert.instanceOf(failure, DOMException)
      await closed
      assert.isEmpty(models.at(fallbackBase))
    })

    it("killed under load, no call fails that has not had its first byte (P80)", async () => {
      const { live, student, workspace } = await story()
      const fallback = await fallbackTo(live, models.speaking("from above"))
      const { base, child } = await endpointProcess()
      await deploy(live, student, "end.killed", base, { fallback, timeout_ms: 60_000 })
      const counts = { student: 0, upstream_fallback: 0, broken: 0, refused: 0 }
      const one = async (body: unknown) => {
        const response = await call(house, workspace, body)
        const servedBy = response.headers.get("x-service-served-by")
        // From here on the client has an answer; a stream may break off in it.
        const text = await response.text().catch(() => undefined)
        if (response.status !== 200) counts.refused++
        else if (text === undefined) counts.broken++
        else counts[servedBy === "student" ? "student" : "upstream_fallback"]++
      }
      const client = async (stream: boolean) => {
        const body = asked("end.killed", "hello", { stream })
        while (counts.student < 100) await one(body)
        child.kill("SIGKILL")
        while (counts.upstream_fallback < 100) await one(body)
      }
      const streaming = [true, true, true, true]
      const waiting = [false, false, false, false, false, false, false, false]
      await Promise.all([...streaming, ...waiting].map(client))
      assert.strictEqual(counts.refused, 0)
      // A caller that waits for a whole answer gets one; of the streams under way each may break off once.
      assert.isAtMost(counts.broken, streaming.length)
      assert.isTrue(child.killed)
    })
  },
  serving
)
