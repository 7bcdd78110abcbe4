// Calls hosts like their users.
// @effect-diagnostics globalFetch:off
/** Each page of docs/mounts shows a program of this folder, and each program serves the API beside its host. */

import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import express from "express"
import * as Served from "./Served.ts"
import { type Ask, assertOwn } from "./Served.ts"

process.env["ENCRYPTION_KEY"] = Buffer.alloc(32, 7).toString("base64")
const { limbeck } = await import("../src/limbeck.ts")
afterAll(() => limbeck.close())

const overHttp =
  (origin: string): Ask =>
  (path, init) =>
    fetch(origin + path, init)

const listening = async (server: Server): Promise<Ask> => {
  if (!server.listening) await once(server, "listening")
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  })
  return overHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // It listens on a port.
}

const assertServed = (ask: Ask) => Served.assertServed(ask, limbeck.bootstrapped.testToken ?? "")

describe("the API is served inside of", () => {
  beforeAll(() => assert.isNotNull(limbeck.bootstrapped.testToken))

  it("Express, whose own routes have their parsed bodies (P268)", async () => {
    const { app } = await import("../src/express.ts")
    const ask = await listening(app.listen(0, "127.0.0.1"))
    await assertServed(ask)
    await assertOwn(ask)
  })

  it("Fastify, whose own routes have their parsed bodies (P268)", async () => {
    const { app } = await import("../src/fastify.ts")
    afterAll(() => app.close())
    const ask = overHttp(await app.listen({ port: 0, host: "127.0.0.1" }))
    await assertServed(ask)
    await assertOwn(ask)
  })

  it("Hono (P268)", async () => {
    const { app } = await import("../src/hono.ts")
    const ask: Ask = async (path, init) => app.request(path, init)
    await assertServed(ask)
    await assertOwn(ask)
  })

  it("route handlers of Next.js, by their signature (P268)", async () => {
    const handlers = await import("../src/next.ts")
    assert.deepStrictEqual([handlers.runtime, handlers.dynamic], ["nodejs", "force-dynamic"])
    const { DELETE, GET, HEAD, PATCH, POST, PUT } = handlers
    const methods = new Map(Object.entries({ DELETE, GET, HEAD, PATCH, POST, PUT }))
    await assertServed((path, init) => {
      const handler = methods.get(init?.method ?? "GET")
      assert.isDefined(handler)
      return handler(new Request(`https://app.example${path}`, init))
    })
  })

  it("NestJS, on the Express that it is made of (P268)", async () => {
    const { bootstrap } = await import("../src/nest.ts")
    const platform = express()
    let server: Server | undefined
    await bootstrap(
      {
        use: (path, handler) => platform.use(path, handler),
        listen: async (port) => {
          platform.use(express.json())
          server = platform.listen(port, "127.0.0.1")
        }
      },
      0
    )
    await assertServed(await listening(server ?? createServer()))
  })

  it("a Lambda, event by event (P268)", async () => {
    const { handler } = await import("../src/lambda.ts")
    await assertServed(async (path, init) => {
      const { pathname, search } = new URL(path, "https://api.example")
      const request = new Request(`https://api.example${path}`, init)
      const answer = await handler({
        rawPath: pathname,
        rawQueryString: search.slice(1),
        headers: { host: "api.example", ...Object.fromEntries(request.headers) },
        ...(request.body === null ? {} : { body: Buffer.from(await request.arrayBuffer()).toString("base64") }),
        isBase64Encoded: true,
        requestContext: { http: { method: request.method } }
      })
      return new Response(Buffer.from(answer.body, "base64"), { status: answer.statusCode, headers: answer.headers })
    })
  })

  it("a server of node:http (P268)", async () => {
    const { server } = await import("../src/nodeHttp.ts")
    const ask = await listening(server.listen(0, "127.0.0.1"))
    await assertServed(ask)
    assert.strictEqual(await (await ask("/")).text(), "Your own application\n")
  })
})

describe("docs/mounts", () => {
  const pages = new URL("../../../docs/mounts/", import.meta.url)
  const programs: Readonly<Record<string, string>> = {
    "express.md": "express",
    "fastify.md": "fastify",
    "hono.md": "hono",
    "nextjs.md": "next",
    "nestjs.md": "nest",
    "lambda.md": "lambda",
    "node-http.md": "nodeHttp",
    "README.md": "limbeck"
  }

  it("has a page of at most 40 lines for each host, which shows the program that was tested (P268)", async () => {
    assert.sameMembers(await fs.readdir(pages), Object.keys(programs))
    for (const [page, program] of Object.entries(programs)) {
      const text = await fs.readFile(new URL(page, pages), "utf8")
      const code = await fs.readFile(new URL(`../src/${program}.ts`, import.meta.url), "utf8")
      assert.include(text, `\`\`\`ts\n${code}\`\`\``, page)
      assert.isAtMost(text.trimEnd().split("\n").length, 40, page)
    }
  })
})
