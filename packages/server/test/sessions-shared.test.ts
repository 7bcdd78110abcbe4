/** Sessions of people used at several servers on one storage (contract 15.17). */
import { assert, it } from "@effect/vitest"
import { untoldMax } from "@limbeck/core/rate/TokenBucket"
import { eventually } from "@limbeck/testing/Eventually"
import { signInLimit } from "../src/http/SignInLimit.ts"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import type { House } from "./support/House.ts"
import { onTwoServers } from "./support/SharedStorages.ts"
import { change, endpointOf, happen, subscribe } from "./support/Webhooks.ts"

const loops = "/v1/distill/loops"

onTwoServers("a session at two servers on one storage", (first, second) => {
  /** Somebody signed in at the first, with a client of each. */
  const atBoth = async () => {
    const workspace = await first.workspace()
    const { client, cookie, id } = await first.signedIn(workspace, "owner")
    const { csrf_token } = expectStatus(await client.get<{ csrf_token: string }>("/v1/session"), 200)
    const headers = { cookie, "x-csrf-token": csrf_token, "service-workspace": workspace.id }
    return { id, workspace, atFirst: client, atSecond: second.client(null).with(headers) }
  }

  it("is good at both, and ends at both when its person is removed at one (P283)", async () => {
    const { atFirst, atSecond, id } = await atBoth()
    assert.deepStrictEqual([(await atFirst.get(loops)).status, (await atSecond.get(loops)).status], [200, 200])
    await first.withPeople(({ people }) => people.remove(id))
    assert.strictEqual((await atFirst.get(loops)).status, 401)
    // Each look uses the cache of the last.
    await eventually("the other server refuses it too", async () => (await atSecond.get(loops)).status === 401)
  })

  it("begins by no used link at either more often than at one: attempts that fail count at all servers (P334)", async () => {
    const used = await first.link((await atBoth()).id)
    expectStatus(await first.client(null).post("/v1/sessions", { link: used }), 201)
    const guess = async (house: House) => (await house.client(null).post("/v1/sessions", { link: used })).status
    const good = await first.link((await atBoth()).id)
    const answers: Array<number> = []
    const startedAt = performance.now()
    for (let attempt = 0; attempt < 30; attempt++) answers.push(await guess(attempt % 2 === 0 ? first : second))
    const heard = answers.filter((status) => status === 401).length
    assert.isAtLeast(heard, signInLimit.burst)
    const refilled = ((performance.now() - startedAt) / 1_000) * signInLimit.perSecond
    assert.isAtMost(heard, signInLimit.burst + refilled + untoldMax(signInLimit))
    assert.isTrue(answers.every((status) => status === 401 || status === 429))
    assertRefused(await second.client(null).post("/v1/sessions", { link: good }), 429, "rate_limit_error")
    for (const house of [first, second]) house.passTime(600_000)
    expectStatus(await second.client(null).post("/v1/sessions", { link: good }), 201)
  })

  it("is held to a new role at both, and ends at both when it is signed out of at one (P283)", async () => {
    const { atFirst, atSecond, id, workspace } = await atBoth()
    const post = async (client: typeof atFirst) => (await client.post(loops, { name: "a" })).status
    assert.deepStrictEqual([await post(atFirst), await post(atSecond)], [201, 201])
    await first.setRole(workspace, id, "viewer")
    assert.strictEqual(await post(atFirst), 403)
    await eventually("the other server knows the role", async () => (await post(atSecond)) === 403)
    expectStatus(await atSecond.delete("/v1/session"), 200)
    assert.strictEqual((await atSecond.get(loops)).status, 401)
    await eventually("the first server knows of the end", async () => (await atFirst.get(loops)).status === 401)
  })

  it("reads at each what the other has acknowledged, whatever it has read there before (P395)", async () => {
    const { atFirst, atSecond } = await atBoth()
    const idsAt = async (client: Client, path: string) =>
      expectStatus(await client.get<ListOf<{ readonly id: string }>>(path), 200).data.map(({ id }) => id)
    const endpoint = await subscribe(atFirst, "https://127.0.0.1:1/")
    const made: Array<string> = []
    for (const description of ["one", "two", "three"]) {
      const { id } = expectStatus(await atSecond.post<{ readonly id: string }>(loops, { name: description }), 201)
      made.unshift(id)
      await change(atSecond, endpoint.id, { description })
      await happen(atSecond)
      const events = await idsAt(atSecond, "/v1/events")
      assert.lengthOf(events, made.length)
      for (const client of [atFirst, atFirst, atSecond]) {
        assert.deepStrictEqual(await idsAt(client, loops), made)
        assert.deepStrictEqual(await idsAt(client, "/v1/events"), events)
        assert.strictEqual((await endpointOf(client, endpoint.id)).description, description)
      }
    }
  })
})
