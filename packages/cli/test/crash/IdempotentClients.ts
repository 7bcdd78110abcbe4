/** A server is killed between and within the requests of 40 clients with one key, again and again. */
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { luck } from "@limbeck/testing/random/Luck"
import { assertOneAnswer, assertRuns, clients, runsPath } from "../Answers.ts"
import { Api, type Run } from "../Api.ts"
import { embedded } from "../DataFolder.ts"

export const idempotentClients = async (atEnd: AtEnd) => {
  const rounds = caseCount(2, 5)
  const next = luck(20_261_120)
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server)
  const body = await api.plan()
  const ids: Array<string> = []
  for (let round = 0; round < rounds; round++) {
    const startsAt = Array.from({ length: clients }, () => next() * 120)
    const killsAt = next() * 120
    const answers = startsAt.map(async (millis) => {
      await sleep(millis)
      return api.persist<Run>("POST", runsPath, { body, key: `round-${round}` })
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
}
