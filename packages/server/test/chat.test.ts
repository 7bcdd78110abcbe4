/** Questions that are answered in place (contract 9, 14.27). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { create } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import {
  type AgentShown,
  answerJson,
  ask,
  type ConversationShown,
  chat,
  completionOf,
  lastOf,
  type MessageShown,
  messagesOf,
  promptOf,
  say,
  withModel
} from "./support/Chats.ts"
import { assertInvalid, assertRefused, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const unknown = (prefix: string) => `${prefix}_${"0".repeat(26)}`

onEachStorage("a question that is answered in place", (house) => {
  it("is answered with the message; both stand in the conversation, and an event tells of the answer (P139)", async () => {
    const { base, caller } = await withModel(house, upstream)
    const answer = await ask(caller, { text: "Is it raining?", author: "customer 7" })
    assert.match(answer.id, /^msg_/)
    assert.match(answer.conversation, /^conv_/)
    assert.deepInclude(answer, {
      object: "message",
      livemode: false,
      role: "assistant",
      status: "completed",
      text: "You said: Is it raining?",
      session: answer.conversation,
      author: "customer 7",
      agent: null,
      channel: null,
      handoff_url: null,
      error: null,
      callback: null
    })
    assert.isAtLeast(answer.latency_ms ?? -1, 0)
    const [shown, question] = await messagesOf(caller, answer.conversation)
    assert.deepStrictEqual(shown, answer)
    assert.deepInclude(question, { role: "user", status: "completed", text: "Is it raining?" })
    assert.strictEqual(question?.id, answer.question ?? "")
    const { data: events } = expectStatus(
      await caller.get<ListOf<{ readonly data: { readonly object: unknown } }>>("/v1/events?type=message.completed"),
      200
    )
    assert.deepStrictEqual(
      events.map(({ data }) => data.object),
      [answer]
    )
    const [sent] = upstream.at(base)
    assert.deepStrictEqual(JSON.parse(sent?.body ?? ""), {
      model: "gpt",
      messages: [{ role: "user", content: "Is it raining?" }]
    })
  })

  it("has what was said before, by the conversation or by the session of the caller", async () => {
    const { base, caller } = await withModel(house, upstream)
    const first = await ask(caller, { text: "one", session: "till 4" })
    const second = await ask(caller, { text: "two", session: "till 4" })
    const third = await ask(caller, { text: "three", conversation: first.conversation })
    const other = await ask(caller, { text: "four", session: "till 5" })
    assert.deepStrictEqual(
      [second, third].map(({ conversation }) => conversation),
      [first.conversation, first.conversation]
    )
    assert.deepStrictEqual(
      [first, second, third, other].map(({ session }) => session),
      ["till 4", "till 4", "till 4", "till 5"]
    )
    assert.notStrictEqual(other.conversation, first.conversation)
    const prompts = upstream.at(base).map(({ body }) => JSON.parse(body).messages.length)
    assert.deepStrictEqual(prompts, [1, 3, 5, 1])
    const texts = (await messagesOf(caller, first.conversation)).map(({ text }) => text)
    assert.deepStrictEqual(texts, ["You said: three", "three", "You said: two", "two", "You said: one", "one"])
  })

  it("is captured as any other call, with the conversation as its external id", async () => {
    const { caller, source } = await withModel(house, upstream)
    const answer = await ask(caller)
    const call = await eventually("the call is stored", async () => {
      const { data } = expectStatus(
        await caller.get<ListOf<Readonly<Record<string, unknown>>>>(
          `/v1/distill/calls?external_id=${answer.conversation}&tag=chat`
        ),
        200
      )
      return data[0]
    })
    assert.deepInclude(call, { id: answer.call, source: source.id, outcome: "succeeded", status_code: 200 })
  })

  it("goes to the agent's source and model, after its instructions; the conversation keeps the agent", async () => {
    const { caller } = await withModel(house, upstream)
    const base_url = upstream.base((request, response) => say(response, promptOf(request).model))
    const source = await create(caller, { base_url })
    const agent = expectStatus(
      await caller.post<AgentShown>("/v1/agents", {
        name: "Desk",
        instructions: "Be brief.",
        source: source.name,
        model: "mini"
      }),
      201
    )
    const first = await ask(caller, { agent: agent.id })
    const second = await ask(caller, { conversation: first.conversation })
    assert.deepStrictEqual(
      [first, second].map(({ agent, text }) => [agent, text]),
      [
        [agent.id, "mini"],
        [agent.id, "mini"]
      ]
    )
    const prompts = upstream.at(base_url).map(({ body }) => JSON.parse(body).messages[0])
    assert.deepStrictEqual(prompts, Array(2).fill({ role: "system", content: "Be brief." }))
    expectStatus(await caller.delete(`/v1/agents/${agent.id}`), 200)
    assertRefused(
      await caller.post(chat, { text: "And now?", conversation: first.conversation }),
      404,
      "not_found_error",
      "agent"
    )
  })

  it("is handed over to a person where the model asks for that and the agent has a place for it", async () => {
    const { caller } = await withModel(house, upstream, (request, response) => {
      const offered = promptOf(request).tools?.map(({ function: { name } }) => name)
      if (offered === undefined) return say(response, "I do what I can")
      const call = { id: "1", type: "function", function: { name: offered[0], arguments: '{"reason":"A refund"}' } }
      answerJson(response, 200, completionOf({ tool_calls: [call] }))
    })
    const alone = expectStatus(await caller.post<AgentShown>("/v1/agents", { name: "Alone" }), 201)
    const desk = expectStatus(
      await caller.post<AgentShown>("/v1/agents", { name: "Desk", handoff_url: "https://desk.example/new?team=7" }),
      201
    )
    assert.deepInclude(await ask(caller, { agent: alone.id }), { status: "completed", handoff_url: null })
    const answer = await ask(caller, { agent: desk.id })
    assert.deepInclude(answer, {
      status: "handed_off",
      text: "A refund",
      handoff_url: `https://desk.example/new?team=7&conversation=${answer.conversation}`
    })
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>, string | null]>([
    ["no text", {}, "text"],
    ["an empty text", { text: "" }, "text"],
    ["a text that is a number", { text: 7 }, "text"],
    ["too long a text", { text: "x".repeat(100_001) }, "text"],
    ["an empty session", { text: "?", session: "" }, "session"],
    ["too long a session", { text: "?", session: "x".repeat(256) }, "session"],
    ["a session with a line break", { text: "?", session: "a\nb" }, "session"],
    ["an author with a NUL", { text: "?", author: "a\u0000b" }, "author"],
    ["an empty agent", { text: "?", agent: "" }, "agent"],
    ["an empty channel", { text: "?", channel: "" }, "channel"],
    ["a conversation that is a number", { text: "?", conversation: 1 }, "conversation"],
    ["a stream that is a word", { text: "?", stream: "yes" }, "stream"],
    ["a stream to a webhook", { text: "?", stream: true, webhook: "https://receiver.example" }, "stream"],
    ["a webhook that is no URL", { text: "?", webhook: "receiver" }, "webhook"],
    ["a webhook with credentials", { text: "?", webhook: "https://a:b@receiver.example" }, "webhook"],
    ["a webhook of another scheme", { text: "?", webhook: "ftp://receiver.example" }, "webhook"],
    ["a webhook with a space", { text: "?", webhook: " https://receiver.example" }, "webhook"],
    ["too long a webhook", { text: "?", webhook: `https://receiver.example/${"x".repeat(2_048)}` }, "webhook"],
    ["an unknown field", { text: "?", sessoin: "x" }, "sessoin"]
  ])("is refused: %s", async (_, body, param) => {
    const { base, caller } = await withModel(house, upstream)
    assertInvalid(await caller.post(chat, body), param)
    assert.deepStrictEqual(upstream.at(base), [])
    assert.deepStrictEqual(expectStatus(await caller.get<ListOf<ConversationShown>>("/v1/conversations"), 200).data, [])
  })

  it("is refused where its conversation, agent or channel is unknown, or of another workspace", async () => {
    const { caller } = await withModel(house, upstream)
    const elsewhere = await withModel(house, upstream)
    const { conversation } = await ask(elsewhere.caller)
    const agent = expectStatus(await elsewhere.caller.post<AgentShown>("/v1/agents", { name: "Theirs" }), 201)
    for (const [field, id] of [
      ["conversation", unknown("conv")],
      ["conversation", conversation],
      ["agent", unknown("agt")],
      ["agent", agent.id],
      ["channel", unknown("chn")],
      ["channel", "web"]
    ] as const) {
      assertRefused(await caller.post(chat, { text: "?", [field]: id }), 404, "not_found_error", field)
    }
  })

  it("is refused where there is no source or no model to ask", async () => {
    const bare = (await house.workspace()).test
    assertInvalid(await bare.post(chat, { text: "?" }), "agent")
    await create(bare, { default: true })
    assertInvalid(await bare.post(chat, { text: "?" }), "agent")
    const agent = expectStatus(await bare.post<AgentShown>("/v1/agents", { name: "Alias", model: "svc:nowhere" }), 201)
    assertRefused(await bare.post(chat, { text: "?", agent: agent.id }), 404, "not_found_error")
  })

  it("fails with its model; the message says why, the next question goes without it, and no event tells of it", async () => {
    let status = 500
    const { base, caller } = await withModel(house, upstream, (_, response) =>
      status === 200 ? say(response, "Here I am") : answerJson(response, status, { error: { message: "no" } })
    )
    assertRefused(await caller.post(chat, { text: "one", session: "s" }), 502, "api_error")
    status = 200
    const answer = await ask(caller, { text: "two", session: "s" })
    const messages = await messagesOf(caller, answer.conversation)
    assert.deepStrictEqual(
      messages.map(({ status, text }) => [status, text]),
      [
        ["completed", "Here I am"],
        ["completed", "two"],
        ["failed", ""],
        ["completed", "one"]
      ]
    )
    assert.deepStrictEqual(messages[2]?.error, {
      code: "api_error",
      message: "The model gpt answered with status 500"
    })
    const prompts = upstream.at(base).map(({ body }) => JSON.parse(body).messages.length)
    assert.deepStrictEqual(prompts, [1, 1])
    const { data: events } = expectStatus(await caller.get<ListOf<unknown>>("/v1/events?type=message.completed"), 200)
    assert.lengthOf(events, 1)
  })

  it.each<readonly [string, unknown]>([
    ["no completion", { object: "list" }],
    ["no text", completionOf({})],
    ["too long a text", completionOf({ content: "x".repeat(200_001) })],
    ["no JSON", "oops"]
  ])("fails where the model answers %s", async (_, body) => {
    const { caller } = await withModel(house, upstream, (_, response) => answerJson(response, 200, body))
    assertRefused(await caller.post(chat, { text: "?" }), 502, "api_error")
  })

  it("of a managed source fails with the status of its model", async () => {
    const { caller } = await withModel(
      house,
      upstream,
      (_, response) => void response.writeHead(429, { "retry-after": "7" }).end("{}"),
      { kind: "managed" }
    )
    assertRefused(await caller.post(chat, { text: "?" }), 429, "teacher_unavailable")
  })

  it("of one conversation is asked after the one before is answered, whoever asks", async () => {
    const waiting: Array<() => void> = []
    const { base, caller } = await withModel(house, upstream, (request, response) => {
      waiting.push(() => say(response, `to ${lastOf(promptOf(request))}`))
    })
    const first = caller.post<MessageShown>(chat, { text: "1", session: "s" })
    await upstream.changes.until("the first is asked", () => waiting.length === 1)
    const second = caller.post<MessageShown>(chat, { text: "2", session: "s" })
    const { data } = expectStatus(await caller.get<ListOf<ConversationShown>>("/v1/conversations?session=s"), 200)
    const conversation = data[0]?.id ?? ""
    await eventually("both are there", async () => (await messagesOf(caller, conversation)).length === 4)
    assert.lengthOf(upstream.at(base), 1)
    waiting.shift()?.()
    assert.strictEqual(expectStatus(await first, 200).text, "to 1")
    await upstream.changes.until("the second is asked", () => waiting.length === 1)
    waiting.shift()?.()
    assert.strictEqual(expectStatus(await second, 200).text, "to 2")
    const prompts = upstream.at(base).map(({ body }) => JSON.parse(body).messages.map(lastText))
    assert.deepStrictEqual(prompts, [["1"], ["1", "to 1", "2"]])
  })

  it("under a key is asked once: the answer is kept with it, and a failure frees it (P140)", async () => {
    let status = 500
    const { base, caller } = await withModel(house, upstream, (request, response) =>
      status === 200 ? say(response, lastOf(promptOf(request))) : answerJson(response, status, {})
    )
    const keyed = { "idempotency-key": "k1" }
    const body = { text: "once", session: "s" }
    assertRefused(await caller.post(chat, body, keyed), 502, "api_error")
    status = 200
    const first = await caller.post<MessageShown>(chat, body, keyed)
    const again = await caller.post<MessageShown>(chat, body, keyed)
    assert.strictEqual(expectStatus(first, 200).text, "once")
    assert.strictEqual(again.text, first.text)
    assert.isNull(first.headers.get("idempotent-replayed"))
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assertRefused(await caller.post(chat, { ...body, text: "twice" }, keyed), 409, "idempotency_key_reused")
    assertRefused(await caller.post(chat, { sessoin: "s" }, keyed), 409, "idempotency_key_reused")
    assert.lengthOf(upstream.at(base), 2)
  })

  it("goes to the model and comes back whatever characters its text has", async () => {
    const { caller } = await withModel(house, upstream)
    const text = "NUL \u0000, half \ud800, 漢字 🌧️\n"
    const answer = await ask(caller, { text })
    assert.strictEqual(answer.text.toWellFormed(), `You said: ${text.toWellFormed()}`)
    const [, question] = await messagesOf(caller, answer.conversation)
    assert.strictEqual(question?.text.toWellFormed(), text.toWellFormed())
  })
})

const lastText = ({ content }: { readonly content: string }) => content
