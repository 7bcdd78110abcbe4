// @effect-diagnostics globalFetch:off
/** Answers as server-sent events, and clients that leave (contract 9). */
import type { ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { Models } from "@limbeck/testing/upstream/Models"
import { answerJson, type ConversationShown, chat, messagesOf, promptOf, say, withModel } from "./support/Chats.ts"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { chunk, event, sse, usage } from "./support/Provider.ts"
import { headersOf } from "./support/Proxied.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

interface StreamedEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

const eventsIn = (text: string): ReadonlyArray<StreamedEvent> =>
  text
    .split("\n\n")
    .filter((part) => part !== "")
    .map((part) => {
      const field = (name: string) =>
        part
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? ""
      return { event: field("event"), data: JSON.parse(field("data")) }
    })

const begin = (response: ServerResponse, ...texts: ReadonlyArray<string>) => {
  response.writeHead(200, sse)
  for (const content of texts) response.write(event(chunk({ content })))
}

const finish = (response: ServerResponse) => {
  response.write(event({ ...chunk({}, "stop"), usage }))
  response.end(event("[DONE]"))
}

/** The messages of the only conversation. */
const messagesOfOnly = async (caller: Client) => {
  const { data } = expectStatus(await caller.get<ListOf<ConversationShown>>("/v1/conversations"), 200)
  return messagesOf(caller, data[0]?.id ?? "")
}

onOneStorage("an answer as a stream", (house) => {
  it("comes as it is made, and ends with the message", async () => {
    const { base, caller } = await withModel(house, upstream, (_, response) => {
      begin(response, "It ", "rains", ".")
      finish(response)
    })
    const answer = await caller.post<string>(chat, { text: "?", stream: true })
    assert.strictEqual(answer.headers.get("content-type"), "text/event-stream")
    const events = eventsIn(expectStatus(answer, 200))
    const [last] = events.slice(-1)
    const [shown] = await messagesOfOnly(caller)
    assert.deepStrictEqual<unknown>(last, { event: "message.completed", data: shown })
    assert.deepInclude(shown, { text: "It rains.", status: "completed" })
    const deltas = events.slice(0, -1)
    assert.strictEqual(deltas.map(({ data }) => data["text"]).join(""), "It rains.")
    for (const { data, event } of deltas) {
      assert.strictEqual(event, "message.delta")
      assert.deepInclude(data, { id: shown?.id, object: "message.delta", conversation: shown?.conversation })
    }
    const [sent] = upstream.at(base)
    assert.deepInclude(JSON.parse(sent?.body ?? ""), { stream: true, stream_options: { include_usage: true } })
  })

  it("is read before the model has finished; a client that leaves breaks the model off, and what came is kept (P143)", async () => {
    const left = Promise.withResolvers<void>()
    const { caller, workspace } = await withModel(house, upstream, (_, response) => {
      begin(response, "It ")
      response.on("close", left.resolve)
    })
    const leaving = new AbortController()
    const response = await fetch(house.origin + chat, {
      method: "POST",
      headers: headersOf(workspace),
      body: JSON.stringify({ text: "?", stream: true }),
      signal: leaving.signal
    })
    const { value } = (await response.body?.getReader().read()) ?? {}
    assert.include(new TextDecoder().decode(value), "message.delta")
    leaving.abort()
    await left.promise
    const message = await eventually("the message has ended", async () => {
      const [newest] = await messagesOfOnly(caller)
      return newest?.status !== "queued" && newest
    })
    assert.deepInclude(message, { status: "failed", text: "It " })
    assert.strictEqual(message.error?.code, "aborted")
  })

  it("that nobody waits for any more is broken off in place too", async () => {
    const left = Promise.withResolvers<void>()
    const { base, caller, workspace } = await withModel(house, upstream, (_, response) => {
      response.on("close", left.resolve)
    })
    const leaving = new AbortController()
    const asking = fetch(house.origin + chat, {
      method: "POST",
      headers: headersOf(workspace),
      body: JSON.stringify({ text: "?" }),
      signal: leaving.signal
    })
    await upstream.changes.until("the model is asked", () => upstream.at(base).length === 1)
    leaving.abort()
    await asking.catch(() => {})
    const message = await eventually("the message has ended", async () => {
      const [newest] = await messagesOfOnly(caller)
      return newest?.status === "failed" && newest
    })
    assert.strictEqual(message.error?.code, "aborted")
    await left.promise
  })

  it("that fails before its first text is refused as any other, and later ends with why", async () => {
    let fails = true
    const { caller } = await withModel(house, upstream, (_, response) => {
      if (fails) return answerJson(response, 500, {})
      begin(response, "It ")
      setImmediate(() => response.destroy())
    })
    assertRefused(await caller.post(chat, { text: "?", stream: true, session: "s" }), 502, "api_error")
    fails = false
    const events = eventsIn(
      expectStatus(await caller.post<string>(chat, { text: "?", stream: true, session: "s" }), 200)
    )
    const [message] = await messagesOfOnly(caller)
    const [last] = events.slice(-1)
    assert.strictEqual(last?.event, "message.failed")
    assert.deepInclude(last?.data, { id: message?.id, status: "failed" })
    assert.deepInclude(Object(last?.data["error"]), { type: "api_error", code: "api_error", param: null })
    assert.deepInclude(message, { status: "failed", text: "It " })
  })

  it("of a model that does not stream is its end alone; under a key it is replayed as its end", async () => {
    const { base, caller } = await withModel(house, upstream, (request, response) => {
      assert.isTrue(promptOf(request).stream)
      say(response, "whole")
    })
    const keyed = { "idempotency-key": "k1" }
    const asked = { text: "?", stream: true }
    const first = await caller.post<string>(chat, asked, keyed)
    const again = await caller.post<string>(chat, asked, keyed)
    const [only, ...none] = eventsIn(expectStatus(first, 200))
    assert.lengthOf(none, 0)
    assert.strictEqual(only?.event, "message.completed")
    assert.strictEqual(only?.data["text"], "whole")
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.lengthOf(upstream.at(base), 1)
  })
})
