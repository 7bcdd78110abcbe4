/** Idle connections between the edge and a server, by a real nginx: none of them loses a request. */
import { once } from "node:events"
import { Agent, get, type IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { serve, token } from "./Backend.ts"
import { configuration, Edge, hasNginx } from "./Edge.ts"

const authorization = `Bearer ${token}`

/** Of the configuration, as it stands there. */
const edgeTimeout = /keepalive_timeout (\d+)s;/

describe.skipIf(!hasNginx())("an idle connection to the server", () => {
  it("stays open for longer than the edge keeps it (P920)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    const { port } = await serve(onTestFinished, edge.backend)
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const [response] = (await once(get({ port, host: "127.0.0.1", path: "/healthz", agent }), "response")) as [
      IncomingMessage
    ]
    const seconds = Number(/timeout=(\d+)/.exec(String(response.resume().headers["keep-alive"]))?.[1])
    assert.isAbove(seconds, Number(edgeTimeout.exec(configuration)?.[1]))
  })

  it("is closed by the edge, so that no request meets the server's closing (P920)", async ({ onTestFinished }) => {
    // Beyond the 6 seconds after which Node closes an idle connection by default.
    const [directive] = edgeTimeout.exec(configuration)!
    const edge = await Edge.open(onTestFinished, [
      [directive, "keepalive_timeout 7s;"],
      // Each nginx process has its own connections.
      ["worker_processes auto", "worker_processes 1"]
    ])
    const { closedBy } = await serve(onTestFinished, edge.backend)
    const before = await edge.send("GET", "/v1/whoami", { authorization })
    const side = await closedBy
    const headers = { authorization, "content-type": "application/json", "idempotency-key": "once" }
    const after = await edge.send("POST", "/v1/distill/loops", headers, '{"name":"edge"}')
    assert.deepStrictEqual([before.status, side, after.status], [200, "edge", 201])
  })
})
