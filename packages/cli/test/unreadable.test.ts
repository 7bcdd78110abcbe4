import { once } from "node:events"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { quiet, Server, testToken } from "./Server.ts"

const auth = `Authorization: Bearer ${testToken}`
const json = ["Host: x", auth, "Content-Type: application/json", "Connection: close"]

interface ProgramOutput {
  readonly status: number
  readonly requestId: string | undefined
  readonly error?: { readonly code: string; readonly param: string | null; readonly request_id: string }
}

/** The whole response on a connection; `lines` are the head of a request. */
const say = async ({ origin }: Server, lines: ReadonlyArray<string>, body = ""): Promise<ProgramOutput> => {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(origin).port) })
  await once(socket, "connect")
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`)
  const [head = "", answer = ""] = (await text(socket)).split("\r\n\r\n")
  const requestId = /^x-request-id: (\S+)$/im.exec(head)?.[1]
  return { status: Number(head.split(" ")[1]), requestId, error: JSON.parse(answer).error }
}

describe.concurrent("what is hardly HTTP", () => {
  const server = new Server(afterAll, { ...quiet, STORAGE: "memory" })
  beforeAll(() => server.start())

  it("is refused in the envelope, with a request id, when it cannot be read (P107)", async () => {
    const cases: ReadonlyArray<readonly [number, ReadonlyArray<string>, string?]> = [
      [400, ["what is this"]],
      [400, ["GET /v1/é HTTP/1.1", "Host: x"]],
      [400, ["POST /v1/distill/loops HTTP/1.1", ...json, "Content-Length: 2", "Transfer-Encoding: chunked"], "{}"],
      [431, ["GET /v1/whoami HTTP/1.1", ...json, `X-Long: ${"x".repeat(70_000)}`]]
    ]
    for (const [status, lines, body] of cases) {
      const said = await say(server, lines, body)
      assert.deepInclude(said, { status })
      assert.deepInclude(said.error ?? {}, {
        code: "invalid_request_error",
        param: null,
        request_id: said.requestId ?? ""
      })
      assert.match(said.requestId ?? "", /^req_[0-9a-hjkmnp-tv-z]{26}$/)
    }
  })

  it("is read as long as it can be: without a host, with long headers, with an unknown expectation (P107)", async () => {
    const create = (headers: ReadonlyArray<string>) =>
      say(server, ["POST /v1/distill/loops HTTP/1.1", ...headers, "Content-Length: 15"], '{"name":"loop"}')
    const long = await create([...json, `Idempotency-Key: ${"k".repeat(20_000)}`])
    assert.deepStrictEqual([long.status, long.error?.param], [400, "Idempotency-Key"])
    for (const headers of [json.slice(1), [...json, "Expect: the-impossible"]]) {
      assert.strictEqual((await create(headers)).status, 201)
    }
  })
})
