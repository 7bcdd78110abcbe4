/** Connections that break repeatedly, and a server that dies before its response, with a scripted Fetch. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { ConnectionError, makeClient } from "@limbeck/client"

const json = (body: unknown) => new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } })

/** A body that breaks off behind its text. */
const breaking = (text: string) =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        if (text !== "") controller.enqueue(new TextEncoder().encode(text))
      },
      pull: (controller) => controller.error(new TypeError("terminated"))
    })
  )

const clientOf = (answer: (request: Request) => Response | Promise<Response>) => {
  const sent: Array<Request> = []
  const fetch = async (request: Request) => {
    sent.push(request)
    return answer(request)
  }
  return { sent, client: makeClient({ baseUrl: "https://limbeck.example", token: "svc_test_1", fetch }) }
}

const event = (id: number) => `id: ${id}\nevent: log\ndata: {"seq":${id}}\n\n`

/** Pauses between connections take no time of the test's. */
const withoutPauses = () => vi.useFakeTimers({ toFake: ["setTimeout"] })
const elapse = async <A>(promise: Promise<A>): Promise<PromiseSettledResult<A>> => {
  const settled = Promise.allSettled([promise])
  let isOver = false
  settled.then(() => {
    isOver = true
  })
  while (!isOver) await vi.advanceTimersByTimeAsync(1_000)
  const [result] = await settled
  return result
}

afterEach(() => {
  vi.useRealTimers()
})

describe("the client", () => {
  it("gives a stream up when five connections in a row bring nothing, and resumes it before (P266)", async () => {
    withoutPauses()
    // Two connections bring an event each; a comment is none.
    const bodies = [event(1), "", ": still here\n\n", event(2)]
    const { client, sent } = clientOf(() => breaking(bodies.shift() ?? ""))
    const seen: Array<unknown> = []
    const reading = async () => {
      for await (const { id } of client.runs.stream("run_1")) seen.push(id)
    }
    const ended = await elapse(reading())
    assert.strictEqual(ended.status, "rejected")
    assert.instanceOf(ended.status === "rejected" && ended.reason, ConnectionError)
    assert.deepStrictEqual(seen, ["1", "2"])
    const after = sent.map(({ headers }) => headers.get("last-event-id"))
    // The connection that brought the second event broke, and four more brought nothing.
    assert.deepStrictEqual(after, [null, "1", "1", "1", "2", "2", "2", "2"])
  })

  it("says that a content is whole where the server died between its last byte and its answer (P266)", async () => {
    withoutPauses()
    const content = "0123456789"
    const upload = { id: "upl_1", status: "awaiting_content", received_bytes: 0 }
    const ranges: Array<string | null> = []
    const { client } = clientOf(async (request) => {
      if (request.method === "GET") return json(upload)
      const range = request.headers.get("content-range")
      ranges.push(range)
      upload.received_bytes += (await request.text()).length
      // All its bytes are kept, and the process that took the last ones is gone.
      if (range === "bytes 5-9/10") throw new TypeError("fetch failed")
      if (range === "bytes */10") upload.status = "processing"
      return json(upload)
    })
    const sent = await elapse(client.uploads.resume("upl_1", content, { partBytes: 5 }))
    assert.strictEqual(sent.status === "fulfilled" && sent.value.status, "processing")
    assert.deepStrictEqual(ranges, ["bytes 0-4/10", "bytes 5-9/10", "bytes */10"])
  })
})
