/** Questions answered by a callback (service-api 2.9, 6.5; contract 9). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { Models } from "@limbeck/testing/upstream/Models"
import {
  answerJson,
  chat,
  enqueue,
  lastOf,
  type MessageShown,
  messageOf,
  messagesOf,
  promptOf,
  type QueuedShown,
  sandboxChat,
  say,
  withModel
} from "./support/Chats.ts"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

const upstream = new Models()
const receiver = new Receiver()
beforeAll(() => Promise.all([upstream.open(), receiver.open()]))
afterAll(() => {
  upstream.close()
  receiver.close()
})

/** The message, once its callback has ended. */
const called = (caller: Client, queued: Pick<QueuedShown, "conversation" | "id">) =>
  eventually("the callback has ended", async () => {
    const message = await messageOf(caller, queued)
    return ["succeeded", "failed"].includes(message.callback?.status ?? "") && message
  })

const ok = () => receiver.answering((_, response) => void response.writeHead(204).end())

onPostgres("a question that is answered by a callback", (house) => {
  it("is taken at once, answered, and told by one signed request with the fields of 2.9 (P141)", async () => {
    const { caller } = await withModel(house, upstream)
    const webhook = ok()
    const queued = await enqueue(caller, { text: "Is it raining?", webhook, session: "till 4", author: "customer 7" })
    assert.sameMembers(Object.keys(queued), ["id", "object", "status", "conversation", "session"])
    assert.deepInclude(queued, { object: "message", status: "queued", session: "till 4" })
    const message = await called(caller, queued)
    const [request, ...others] = receiver.allAt(webhook)
    assert.lengthOf(others, 0)
    assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
      id: queued.id,
      text: "You said: Is it raining?",
      status: "completed",
      conversation: queued.conversation,
      session: "till 4",
      agent: null,
      author: "customer 7",
      handoff_url: null,
      latency_ms: message.latency_ms
    })
    const headers = request?.headers ?? {}
    const ours = Object.keys(headers).filter((name) => name.startsWith("service-"))
    assert.sameMembers(ours, ["service-signature", "service-delivery-id"])
    assert.match(String(headers["service-signature"]), /^t=\d+,v1=[0-9a-f]{64}$/)
    assert.strictEqual(headers["content-type"], "application/json")
    assert.strictEqual(headers["user-agent"], "Service-Webhooks/1.0")
    assert.deepInclude(message.callback, {
      url: webhook,
      delivery_id: String(headers["service-delivery-id"]),
      status: "succeeded",
      status_code: 204,
      error: null
    })
    assert.match(message.callback?.attempted_at ?? "", /Z$/)
    assert.match(message.callback?.delivery_id ?? "", /^del_/)
  })

  it("has one attempt, whatever the receiver answers; how it ended stands on the message (P142)", async () => {
    const { caller } = await withModel(house, upstream)
    const refusing = receiver.answering((_, response) => void response.writeHead(503).end("come again"))
    const redirecting = receiver.answering((_, response) => void response.writeHead(307, { location: ok() }).end())
    const hanging = receiver.answering(() => {})
    const closed = Models.closed
    const queued = await Promise.all(
      [refusing, redirecting, hanging, closed].map((webhook) => enqueue(caller, { webhook }))
    )
    const ends = await Promise.all(queued.map((one) => called(caller, one)))
    assert.deepStrictEqual(
      ends.map(({ callback, status }) => [status, callback?.status, callback?.status_code, callback?.error]),
      [
        ["completed", "failed", 503, null],
        ["completed", "failed", 307, null],
        ["completed", "failed", null, "timeout"],
        ["completed", "failed", null, "connection_refused"]
      ]
    )
    for (const url of [refusing, redirecting, hanging]) assert.lengthOf(receiver.allAt(url), 1)
  })

  it("in live mode is told over plain http too, and never at an address that the egress guard refuses", async () => {
    const workspace = await house.workspace()
    const agentless = await workspace.live.post("/v1/sources", {
      name: "up",
      kind: "byok",
      base_url: "https://upstream.example/v1",
      default: true,
      models: ["gpt"]
    })
    expectStatus(agentless, 201)
    for (const webhook of [ok(), "http://169.254.169.254/latest", "http://[::1]:9/x"]) {
      const message = await called(workspace.live, await enqueue(workspace.live, { webhook }))
      assert.deepInclude(message.callback, { status: "failed", error: "blocked_address" })
    }
  })

  it("is told of a failure too", async () => {
    const { caller } = await withModel(house, upstream, (_, response) => answerJson(response, 500, {}))
    const webhook = ok()
    const message = await called(caller, await enqueue(caller, { webhook }))
    assert.deepInclude(message, { status: "failed", text: "" })
    assert.deepInclude(JSON.parse(receiver.allAt(webhook)[0]?.body ?? ""), { status: "failed", text: "" })
  })

  it("is answered in the order of the questions, one at a time, and in the place of those that are waited for", async () => {
    let asked = 0
    let most = 0
    const { base, caller } = await withModel(house, upstream, (request, response) => {
      most = Math.max(most, ++asked)
      setImmediate(() => {
        asked--
        say(response, `to ${lastOf(promptOf(request))}`)
      })
    })
    const webhook = ok()
    const questions = ["1", "2", "3", "4", "5"]
    const first = await enqueue(caller, { text: "0", webhook, session: "s" })
    const queued = [first]
    for (const text of questions) queued.push(await enqueue(caller, { text, webhook, session: "s" }))
    const waited = expectStatus(await caller.post<MessageShown>(chat, { text: "last", session: "s" }), 200)
    assert.strictEqual(waited.text, "to last")
    for (const one of queued) await called(caller, one)
    assert.strictEqual(most, 1)
    const told = receiver.allAt(webhook).map(({ body }) => JSON.parse(body).text)
    assert.sameMembers(
      told,
      ["0", ...questions].map((text) => `to ${text}`)
    )
    const prompts = upstream.at(base).map(({ body }) => lastOf(JSON.parse(body)))
    assert.deepStrictEqual(prompts, ["0", ...questions, "last"])
    const texts = (await messagesOf(caller, first.conversation)).map(({ text }) => text).reverse()
    assert.deepStrictEqual(
      texts,
      ["0", ...questions, "last"].flatMap((text) => [text, `to ${text}`])
    )
  })

  it("under a key is taken once (P140)", async () => {
    const { base, caller } = await withModel(house, upstream)
    const webhook = ok()
    const keyed = { "idempotency-key": "k1" }
    const [first, again] = [
      await caller.post<QueuedShown>(chat, { text: "once", webhook }, keyed),
      await caller.post<QueuedShown>(chat, { text: "once", webhook }, keyed)
    ]
    assert.strictEqual(again.text, first.text)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    await called(caller, expectStatus(first, 202))
    assert.lengthOf(upstream.at(base), 1)
    assert.lengthOf(receiver.allAt(webhook), 1)
  })

  it("in the sandbox leaves its conversation, and no call and no event", async () => {
    const { caller } = await withModel(house, upstream)
    const webhook = ok()
    const queued = expectStatus(await caller.post<QueuedShown>(sandboxChat, { text: "?", webhook }), 202)
    const message = await called(caller, queued)
    assert.deepInclude(message, { status: "completed", call: null })
    const { data: events } = expectStatus(await caller.get<ListOf<unknown>>("/v1/events"), 200)
    assert.deepStrictEqual(events, [])
  })
})
