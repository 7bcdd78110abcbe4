/** A source that leads back to this service: seen and refused, once (contract 15.10). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { create, sources, type VerificationView } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { House, onMemory, type Workspace } from "./support/House.ts"
import { chat, question, send, tokenOf } from "./support/Proxied.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

/** A default source that leads to another house's proxy, with its token. */
const leadTo = (origin: string, token: string) => ({ base_url: `${origin}/v1/proxy`, api_key: token, default: true })

const assertLoop = async (house: House, workspace: Workspace) => {
  const answer = await send(house, workspace)
  const { error } = await answer.json()
  assert.deepStrictEqual([answer.status, error.type, error.code], [400, "invalid_request_error", "proxy_loop"])
  assert.strictEqual(error.request_id, answer.headers.get("x-request-id"))
  return answer.headers.get("x-service-call-id")
}

onMemory("a source that leads to this service", (house) => {
  it("is refused as soon as a call comes back, which happens once (P113)", async () => {
    const workspace = await house.workspace()
    const { test } = workspace
    await create(test, leadTo(house.origin, tokenOf(workspace)))
    const id = await assertLoop(house, workspace)
    // Waits for this call, and so for all earlier ones.
    expectStatus(await test.get(`/v1/distill/calls/${id}`), 200)
    const calls = expectStatus(await test.get<{ readonly data: ReadonlyArray<unknown> }>("/v1/distill/calls"), 200)
    assert.lengthOf(calls.data, 1)
  })

  it("that is managed is refused like any other (P113)", async () => {
    const workspace = await house.workspace()
    const { test } = workspace
    await create(test, { ...leadTo(house.origin, tokenOf(workspace)), kind: "managed", models: ["gpt"] })
    assertRefused(await test.post(chat, question), 400, "proxy_loop")
  })

  it("does not pass its verification", async () => {
    const workspace = await house.workspace()
    const { test } = workspace
    const { id } = await create(test, leadTo(house.origin, tokenOf(workspace)))
    const verified = expectStatus(await test.post<VerificationView>(`${sources}/${id}/verify`, {}), 200)
    assert.deepInclude(verified, { ok: false, reason: "proxy_loop", status_code: null })
  })

  it("is seen for what it is between workspaces too", async () => {
    const [first, second] = [await house.workspace(), await house.workspace()]
    await create(first.test, leadTo(house.origin, tokenOf(second)))
    await create(second.test, leadTo(house.origin, tokenOf(first)))
    await assertLoop(house, first)
  })
})

describe("installations behind each other", () => {
  const houses = ["Service", "Service", "Acme"].map((brand) => ({ brand, house: new House() }))
  beforeAll(async () => {
    for (const { brand, house } of houses) await house.open(StorageMemory.layer, { settings: { brand } })
  })
  afterAll(async () => {
    for (const { house } of houses) await house.close()
  })

  const inRow = async () => {
    const row = await Promise.all(houses.map(async ({ house }) => ({ house, workspace: await house.workspace() })))
    const [first, ...others] = row
    assert.isDefined(first)
    let before = first
    for (const next of others) {
      await create(before.workspace.test, leadTo(next.house.origin, tokenOf(next.workspace)))
      before = next
    }
    return { first, last: before }
  }

  it("pass a call on to the upstream at the end (P113)", async () => {
    const { first, last } = await inRow()
    await create(last.workspace.test, { base_url: upstream.speaking("Paris"), default: true })
    assert.include((await first.workspace.test.post(chat, question)).text, "chat.completion")
    const marks = String(upstream.asked.at(-1)?.headers["x-service-proxied-by"])
    assert.match(marks, /^ins_[0-9a-z]{26}, ins_[0-9a-z]{26}$/)
  })

  it("refuse a call that comes back to the first, whatever their brands are (P113)", async () => {
    const { first, last } = await inRow()
    await create(last.workspace.test, leadTo(first.house.origin, tokenOf(first.workspace)))
    await assertLoop(first.house, first.workspace)
  })

  it("refuse a call that came through eight of them (P113)", async () => {
    const { last } = await inRow()
    await create(last.workspace.test, { base_url: upstream.speaking("Paris"), default: true })
    const through = (count: number) => ({
      "X-Acme-Proxied-By": Array.from({ length: count }, (_, index) => `ins_${index}`).join(", ")
    })
    expectStatus(await last.workspace.test.post(chat, question, through(7)), 200)
    assertRefused(await last.workspace.test.post(chat, question, through(8)), 400, "proxy_loop")
  })
})
