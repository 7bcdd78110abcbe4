import { assert, describe, it } from "@effect/vitest"
import { assertOneAnswer, assertRuns, clients, runsPath } from "./Answers.ts"
import { type Answer, Api, countBy, type Refusal, type Run } from "./Api.ts"
import { embedded } from "./DataFolder.ts"
import { quiet, Server } from "./Server.ts"

describe.each(["memory", "embedded"])("%s storage", (STORAGE) => {
  it("of 40 clients with one key and body one creates the run, and the others are told its answer or to wait", async ({
    onTestFinished
  }) => {
    const server =
      STORAGE === "memory" ? new Server(onTestFinished, { ...quiet, STORAGE }) : await embedded(onTestFinished)
    const api = new Api(await server.start())
    const body = await api.plan()
    const answers = await Promise.all(
      Array.from({ length: clients }, () => api.call<Run & Refusal>("POST", runsPath, { body, key: "one" }))
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

    const later = await api.call<Run>("POST", runsPath, { body, key: "one" })
    assert.strictEqual(later.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(later.text, answered[0]?.text)
    const other = await api.call<Refusal>("POST", runsPath, { body: { ...Object(body), name: "other" }, key: "one" })
    assert.deepStrictEqual([other.status, other.body.error.code], [409, "idempotency_key_reused"])
    await assertRuns(api, [later.body.id])
  })
})
