import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { type Answer, Api, countBy, type Refusal, type Run } from "./Api.ts"
import { random } from "./Random.ts"
import { embedded, quiet, Server } from "./Server.ts"

const clients = 40
const path = "/v1/distill/runs"

/** Of many answers to one request: one is the first, and all others say the same, word for word. */
const assertOneAnswer = (answers: ReadonlyArray<Answer<Run>>, firsts: ReadonlyArray<number>) => {
  assert.deepStrictEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
  assert.include(firsts, answers.filter(({ headers }) => !headers.has("idempotent-replayed")).length)
}

/** There is one run for each of the answered ids and no other, and each was announced once. */
const assertRuns = async (api: Api, ids: ReadonlyArray<string>) => {
  assert.sameMembers(
    (await api.list<Run>(path)).map(({ id }) => id),
    [...ids]
  )
  const created = (await api.events()).filter(({ type }) => type === "distill.run.created")
  assert.sameMembers(
    created.map(({ data }) => data.object.id),
    [...ids]
  )
}

describe.each(["memory", "embedded"])("%s storage", (STORAGE) => {
  it("of 40 clients with one key and body one creates the run, and the others are told its answer or to wait", async ({
    onTestFinished
  }) => {
    const server =
      STORAGE === "memory" ? new Server(onTestFinished, { ...quiet, STORAGE }) : await embedded(onTestFinished)
    const api = new Api(await server.start())
    const body = await api.plan()
    const answers = await Promise.all(
      Array.from({ length: clients }, () => api.call<Run & Refusal>("POST", path, { body, key: "one" }))
    )
    const isInFlight = ({ body }: Answer<Refusal>) => body.error?.code === "idempotency_key_in_flight"
    const waiting = answers.filter(isInFlight)
    assert.isTrue(waiting.every(({ status }) => status === 409))
    const answered = answers.filter((answer) => !isInFlight(answer))
    assert.deepStrictEqual([...countBy(answered, ({ status }) => `${status}`).keys()], ["201"])
    assertOneAnswer(answered, [1])
    assert.isTrue(
      answered.every(({ headers }) => [null, "true"].includes(headers.get("idempotent-replayed"))),
      "a replay says so"
    )

    const later = await api.call<Run>("POST", path, { body, key: "one" })
    assert.strictEqual(later.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(later.text, answered[0]?.text)
    const other = await api.call<Refusal>("POST", path, { body: { ...Object(body), name: "other" }, key: "one" })
    assert.deepStrictEqual([other.status, other.body.error.code], [409, "idempotency_key_reused"])
    await assertRuns(api, [later.body.id])
  })
})

describe("a server that is killed between and within the requests of 40 clients, again and again", () => {
  it("makes one run per key all the same, and tells every client the same", async ({ onTestFinished }) => {
    const rounds = 5
    const luck = random(20_261_120)
    const server = await (await embedded(onTestFinished)).start()
    const api = new Api(server)
    const body = await api.plan()
    const ids: Array<string> = []
    for (let round = 0; round < rounds; round++) {
      const startsAt = Array.from({ length: clients }, () => luck() * 120)
      const killsAt = luck() * 120
      const answers = startsAt.map(async (millis) => {
        await sleep(millis)
        return api.persist<Run>("POST", path, { body, key: `round-${round}` })
      })
      await sleep(killsAt)
      await server.kill()
      await server.start()
      const all = await Promise.all(answers)
      // The first answer may have been lost with its connection.
      assertOneAnswer(all, [0, 1])
      ids.push(all[0]!.body.id)
    }
    assert.strictEqual(new Set(ids).size, rounds)
    await assertRuns(api, ids)
  })
})
