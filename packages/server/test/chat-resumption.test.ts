/** The retry of a question whose server has died resumes the same message (contract 16.47). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Message } from "@limbeck/chat/message/Message"
import { interruption } from "@limbeck/chat/message/Message"
import { reservation, reservedStatus } from "@limbeck/core/idempotency/Idempotency"
import { eventually } from "@limbeck/testing/Eventually"
import { freshKey } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { partitionOf } from "./support/Captured.ts"
import { chat, type MessageShown, messagesOf, withModel } from "./support/Chats.ts"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onEachStorage, type Workspace } from "./support/House.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const unasked = "call_00000000000000000000000001"
const queued = { status: "queued", text: "", call: null, latencyMillis: null } as const

/** Resets a stored answer to the state left by a dying server. `aliveFor`: the remaining reservation of the key. */
const killed = (
  house: House,
  workspace: Workspace,
  { id, key }: { readonly id: string; readonly key: string },
  fields: Partial<Message> = {},
  aliveFor = 0
) =>
  house.withStored(({ conversations, keys }) =>
    Effect.gen(function* () {
      const partition = partitionOf(workspace, false)
      const message = Option.getOrThrow(yield* conversations.message(partition, id))
      yield* conversations.write(partition, { ...message, ...queued, ...fields })
      const record = Option.getOrThrow(yield* keys.find(partition, key))
      const reserved = reservation(id, house.now() + aliveFor, record.expiresAt)
      const begun = { ...record, status: reservedStatus, ...reserved }
      yield* keys.exclusively(partition, key, keys.record(partition, begun))
    })
  )

/** The call is stored, from which a later attempt takes its answer. */
const captured = (caller: Client, call: string | null) =>
  eventually("the call is captured", async () => (await caller.get(`/v1/distill/calls/${call}`)).status === 200)

onEachStorage("a question whose server was killed", (house) => {
  const asked = async () => {
    const { base, caller, workspace } = await withModel(house, upstream)
    const key = freshKey()
    const body = { text: "Once?" }
    const send = (fields: object = {}) => caller.post<MessageShown>(chat, { ...body, ...fields }, key)
    const first = expectStatus(await send(), 200)
    await captured(caller, first.call)
    const crash = (fields?: Partial<Message>, aliveFor?: number) =>
      killed(house, workspace, { id: first.id, key: key["idempotency-key"] }, fields, aliveFor)
    return { base, caller, workspace, first, send, crash }
  }

  it("is found again under its key, and the model is not asked again for what it has answered (P947)", async () => {
    const { base, caller, crash, first, send } = await asked()
    await crash()
    const again = await send()
    assert.isNull(again.headers.get("idempotent-replayed"))
    const { id, call, text, status } = expectStatus(again, 200)
    assert.deepStrictEqual([id, call, text, status], [first.id, first.call, first.text, "completed"])
    assert.lengthOf(await messagesOf(caller, first.conversation), 2)
    assert.lengthOf(upstream.at(base), 1)
    const replay = await send()
    assert.deepStrictEqual([replay.text, replay.headers.get("idempotent-replayed")], [again.text, "true"])
  })

  it("asks the model again where its answer was not captured, also after the worker has ended the message (P947)", async () => {
    for (const fields of [{}, { status: "failed", error: interruption } as const]) {
      const { base, caller, crash, first, send } = await asked()
      await crash({ attemptedCall: unasked, ...fields })
      const again = expectStatus(await send(), 200)
      assert.deepInclude(again, { id: first.id, text: first.text, status: "completed", error: null })
      assert.notStrictEqual(again.call, first.call)
      assert.lengthOf(await messagesOf(caller, first.conversation), 2)
      assert.lengthOf(upstream.at(base), 2)
    }
  })

  it("is in flight until its server is taken to be dead (P947)", async () => {
    const { crash, first, send } = await asked()
    await crash({}, 12_000)
    assertRefused(await send(), 409, "idempotency_key_in_flight")
    house.passTime(12_000)
    assert.strictEqual(expectStatus(await send(), 200).id, first.id)
  })

  it("is found again as a stream too (P947)", async () => {
    const { base, caller, workspace } = await withModel(house, upstream)
    const key = freshKey()
    const send = () => caller.post<string>(chat, { text: "Once?", stream: true }, key)
    const completed = (text: string): MessageShown =>
      JSON.parse(/event: message.completed\ndata: (.*)\n/.exec(text)?.[1] ?? "null")
    const first = completed(expectStatus(await send(), 200))
    await captured(caller, first.call)
    await killed(house, workspace, { id: first.id, key: key["idempotency-key"] })
    const again = completed(expectStatus(await send(), 200))
    assert.deepInclude(again, { id: first.id, text: first.text })
    assert.lengthOf(await messagesOf(caller, first.conversation), 2)
    assert.lengthOf(upstream.at(base), 1)
  })

  it("is asked anew where its message has ended otherwise", async () => {
    const { caller, crash, first, send } = await asked()
    await crash({ status: "failed", error: { code: "api_error", message: "no" } })
    const again = expectStatus(await send(), 200)
    assert.notStrictEqual(again.id, first.id)
    const { data } = expectStatus(await caller.get<ListOf<unknown>>("/v1/conversations"), 200)
    assert.lengthOf(data, 2)
  })
})
