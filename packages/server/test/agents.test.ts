/** Agents, channels and conversations as callers make and read them (contract 4, 9, 14.27). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import {
  type AgentShown,
  ask,
  type ChannelShown,
  type ConversationShown,
  chat,
  type MessageShown,
  messagesOf,
  sandboxChat,
  withModel
} from "./support/Chats.ts"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const agents = "/v1/agents"
const channels = "/v1/channels"
const conversations = "/v1/conversations"

const makeAgent = async (caller: Client, fields: object = {}) =>
  expectStatus(await caller.post<AgentShown>(agents, { name: "Desk", ...fields }), 201)
const makeChannel = async (caller: Client, fields: object = {}) =>
  expectStatus(await caller.post<ChannelShown>(channels, { name: "Till", kind: "web", ...fields }), 201)

/** Ids over all pages of two. */
const walk = async (caller: Client, path: string) => {
  const seen: Array<string> = []
  let next: string | null = ""
  while (next !== null) {
    const cursor: string = next === "" ? "" : `&cursor=${encodeURIComponent(next)}`
    const separator = path.includes("?") ? "&" : "?"
    const page: ListOf<{ readonly id: string }> = expectStatus(
      await caller.get<ListOf<{ readonly id: string }>>(`${path}${separator}limit=2${cursor}`),
      200
    )
    seen.push(...page.data.map(({ id }) => id))
    assert.strictEqual(page.has_more, page.next_cursor !== null)
    next = page.next_cursor
  }
  return seen
}

const idOf = ({ id }: { readonly id: string }) => id

onEachStorage("agents", (house) => {
  it("are made, read, changed, listed and deleted, each in its mode alone", async () => {
    const { live, test } = await house.workspace()
    const source = await create(test)
    const agent = await makeAgent(test, { instructions: "Be brief.", source: source.name, model: "gpt" })
    assert.match(agent.id, /^agt_/)
    assert.deepInclude(agent, {
      object: "agent",
      livemode: false,
      name: "Desk",
      instructions: "Be brief.",
      source: source.id,
      model: "gpt",
      handoff_url: null
    })
    const path = `${agents}/${agent.id}`
    assert.deepStrictEqual(expectStatus(await test.get<AgentShown>(path), 200), agent)
    assertRefused(await live.get(path), 404, "not_found_error")
    const patch = { name: "Counter", source: null, handoff_url: "https://desk.example" }
    const changed = expectStatus(await test.patch<AgentShown>(path, patch), 200)
    assert.deepInclude(changed, { ...patch, instructions: "Be brief.", model: "gpt" })
    assert.deepInclude(expectStatus(await test.patch<AgentShown>(path, { handoff_url: null, model: null }), 200), {
      handoff_url: null,
      model: null,
      name: "Counter"
    })
    assert.deepStrictEqual<unknown>(expectStatus(await test.delete(path), 200), {
      id: agent.id,
      object: "agent",
      deleted: true
    })
    for (const gone of [await test.get(path), await test.delete(path), await test.patch(path, {})]) {
      assertRefused(gone, 404, "not_found_error")
    }
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ["no name", {}, "name"],
    ["too long a name", { name: "x".repeat(201) }, "name"],
    ["an unknown field", { name: "x", instruction: "x" }, "instruction"],
    ["too long instructions", { name: "x", instructions: "x".repeat(50_001) }, "instructions"],
    ["an unknown source", { name: "x", source: "nowhere" }, "source"],
    ["an empty model", { name: "x", model: "" }, "model"],
    ["too long a model", { name: "x", model: "x".repeat(256) }, "model"],
    ["a place that is no URL", { name: "x", handoff_url: "desk" }, "handoff_url"],
    ["a place with credentials", { name: "x", handoff_url: "https://a@desk.example" }, "handoff_url"]
  ])("are refused with %s", async (_, body, param) => {
    const { test } = await house.workspace()
    assertInvalid(await test.post(agents, body), param)
    if (!("name" in body)) return
    const agent = await makeAgent(test)
    assertInvalid(await test.patch(`${agents}/${agent.id}`, body), param)
  })

  it("and channels are listed newest first in pages, and made once per key", async () => {
    const { test } = await house.workspace()
    for (const [path, make] of [
      [agents, makeAgent],
      [channels, makeChannel]
    ] as const) {
      const made: Array<string> = []
      for (let count = 0; count < 5; count++) made.unshift((await make(test)).id)
      assert.deepStrictEqual(await walk(test, path), made)
      const body = { name: "Keyed", ...(path === channels ? { kind: "web" } : {}) }
      const keyed = { "idempotency-key": `key of ${path}`.replaceAll(" ", "-") }
      const [first, again] = [await test.post(path, body, keyed), await test.post(path, body, keyed)]
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assertInvalid(await test.get(`${path}?cursor=oops`), "cursor")
      assertInvalid(await test.get(`${path}?limit=0`), "limit")
      const later = encodeURIComponent("2199-01-01T00:00:00.000Z")
      assert.lengthOf(expectStatus(await test.get<ListOf<unknown>>(`${path}?created_after=${later}`), 200).data, 0)
    }
  })
})

onEachStorage("channels", (house) => {
  it("are made, read, changed, listed and deleted, each in its mode alone", async () => {
    const { live, test } = await house.workspace()
    const agent = await makeAgent(test)
    const channel = await makeChannel(test, { agent: agent.id })
    assert.match(channel.id, /^chn_/)
    assert.deepInclude(channel, { object: "channel", livemode: false, name: "Till", kind: "web", agent: agent.id })
    const path = `${channels}/${channel.id}`
    assert.deepStrictEqual(expectStatus(await test.get<ChannelShown>(path), 200), channel)
    assertRefused(await live.get(path), 404, "not_found_error")
    const patch = { kind: "email", agent: null }
    assert.deepInclude(expectStatus(await test.patch<ChannelShown>(path, patch), 200), { ...patch, name: "Till" })
    assert.deepStrictEqual<unknown>(expectStatus(await test.delete(path), 200), {
      id: channel.id,
      object: "channel",
      deleted: true
    })
    assertRefused(await test.delete(path), 404, "not_found_error")
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ["no name", { kind: "web" }, "name"],
    ["no kind", { name: "x" }, "kind"],
    ["too long a kind", { name: "x", kind: "x".repeat(65) }, "kind"],
    ["an unknown field", { name: "x", kind: "web", agents: [] }, "agents"]
  ])("are refused with %s", async (_, body, param) => {
    assertInvalid(await (await house.workspace()).test.post(channels, body), param)
  })

  it("and the sandbox take their own scopes, and nothing less (P38)", async () => {
    const { live } = await house.workspace()
    const channel = await makeChannel(live)
    const routes = [
      ["POST", channels, "channels:write"],
      ["GET", channels, "channels:read"],
      ["GET", `${channels}/${channel.id}`, "channels:read"],
      ["PATCH", `${channels}/${channel.id}`, "channels:write"],
      ["POST", sandboxChat, "conversations:write"],
      ["DELETE", `${channels}/${channel.id}`, "channels:write"]
    ] as const
    const all = ["channels:read", "channels:write", "conversations:read", "conversations:write", "agents:write"]
    const holderOf = async (scopes: ReadonlyArray<string>) => {
      const token = await live.post<{ readonly secret: string }>("/v1/tokens", { name: "a", scopes })
      return house.client(expectStatus(token, 201).secret)
    }
    for (const [method, path, scope] of routes) {
      const lacking = await holderOf(all.filter((other) => other !== scope))
      assertRefused(await lacking.send(method, path), 403, "permission_error")
      assert.notStrictEqual((await (await holderOf([scope])).send(method, path)).status, 403)
    }
  })

  it("are refused with an agent that is unknown, or of the other mode", async () => {
    const { live, test } = await house.workspace()
    const agent = await makeAgent(live)
    const channel = await makeChannel(test)
    const refused = [
      await test.post(channels, { name: "x", kind: "web", agent: agent.id }),
      await test.patch(`${channels}/${channel.id}`, { agent: agent.id })
    ]
    for (const answer of refused) assertRefused(answer, 404, "not_found_error", "agent")
  })

  it("give a question their agent where it and its conversation have none", async () => {
    const { caller } = await withModel(house, upstream)
    const agent = await makeAgent(caller)
    const other = await makeAgent(caller)
    const channel = await makeChannel(caller, { agent: agent.id })
    const first = await ask(caller, { channel: channel.id })
    assert.deepInclude(first, { agent: agent.id, channel: channel.id })
    const second = await ask(caller, { conversation: first.conversation, agent: other.id })
    assert.strictEqual(second.agent, other.id)
    const third = await ask(caller, { conversation: first.conversation, channel: channel.id })
    assert.strictEqual(third.agent, other.id)
    const shown = expectStatus(await caller.get<ConversationShown>(`${conversations}/${first.conversation}`), 200)
    assert.deepInclude(shown, { agent: other.id, channel: channel.id, message_count: 6 })
  })
})

onEachStorage("conversations", (house) => {
  it("are listed newest first in pages, by agent, session and sandbox, each in its workspace alone", async () => {
    const { caller } = await withModel(house, upstream)
    const agent = await makeAgent(caller)
    const plain = await ask(caller)
    const named = await ask(caller, { agent: agent.id, session: "till 4" })
    const tried = expectStatus(await caller.post<MessageShown>(sandboxChat, { text: "?", session: "till 4" }), 200)
    assert.deepStrictEqual(await walk(caller, conversations), [
      tried.conversation,
      named.conversation,
      plain.conversation
    ])
    assert.deepStrictEqual(await walk(caller, `${conversations}?agent=${agent.id}`), [named.conversation])
    assert.deepStrictEqual(await walk(caller, `${conversations}?session=till%204`), [
      tried.conversation,
      named.conversation
    ])
    assert.deepStrictEqual(await walk(caller, `${conversations}?sandbox=true`), [tried.conversation])
    assert.deepStrictEqual(await walk(caller, `${conversations}?sandbox=false`), [
      named.conversation,
      plain.conversation
    ])
    assertInvalid(await caller.get(`${conversations}?sandbox=maybe`), "sandbox")
    const shown = expectStatus(await caller.get<ConversationShown>(`${conversations}/${tried.conversation}`), 200)
    assert.deepInclude(shown, { object: "conversation", sandbox: true, session: "till 4", message_count: 2 })
    const elsewhere = (await house.workspace()).test
    for (const path of [`${conversations}/${plain.conversation}`, `${conversations}/${plain.conversation}/messages`]) {
      assertRefused(await elsewhere.get(path), 404, "not_found_error")
    }
    assert.deepStrictEqual(await walk(elsewhere, conversations), [])
  })

  it("have their messages newest first in pages", async () => {
    const { caller } = await withModel(house, upstream)
    const { conversation } = await ask(caller)
    await ask(caller, { conversation })
    const path = `${conversations}/${conversation}/messages`
    assert.deepStrictEqual(await walk(caller, path), (await messagesOf(caller, conversation)).map(idOf))
    const other = (await ask(caller)).conversation
    const { next_cursor } = expectStatus(await caller.get<ListOf<unknown>>(`${path}?limit=1`), 200)
    const foreign = `${conversations}/${other}/messages?limit=1&cursor=${encodeURIComponent(next_cursor ?? "")}`
    assertInvalid(await caller.get(foreign), "cursor")
  })

  it("of the sandbox go on there alone, and others never do", async () => {
    const { caller } = await withModel(house, upstream)
    const { conversation } = await ask(caller)
    assertRefused(await caller.post(sandboxChat, { text: "?", conversation }), 409, "conflict_error", "conversation")
    const tried = expectStatus(await caller.post<MessageShown>(sandboxChat, { text: "?" }), 200)
    assert.isNull(tried.call)
    assertRefused(
      await caller.post(chat, { text: "?", conversation: tried.conversation }),
      409,
      "conflict_error",
      "conversation"
    )
    const again = { text: "And?", conversation: tried.conversation }
    assert.strictEqual(expectStatus(await caller.post<MessageShown>(sandboxChat, again), 200).text, "You said: And?")
    const { data: events } = expectStatus(await caller.get<ListOf<unknown>>("/v1/events"), 200)
    assert.lengthOf(events, 1)
    const { data: calls } = expectStatus(
      await caller.get<ListOf<unknown>>(`/v1/distill/calls?external_id=${tried.conversation}`),
      200
    )
    assert.lengthOf(calls, 0)
  })
})
