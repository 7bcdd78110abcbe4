/** Expectations for 40 clients that send one request with one key. */
import { assert } from "@effect/vitest"
import type { Answer, Api, Run } from "./Api.ts"

export const clients = 40
export const runsPath = "/v1/distill/runs"

/** Checks many responses to one request: one is the first, and all have the same text. */
export const assertOneAnswer = (answers: ReadonlyArray<Answer<Run>>, firsts: ReadonlyArray<number>) => {
  assert.deepStrictEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1)
  assert.include(firsts, answers.filter(({ headers }) => !headers.has("idempotent-replayed")).length)
}

/** One run exists for each acknowledged id and no other, each with one creation event. */
export const assertRuns = async (api: Api, ids: ReadonlyArray<string>) => {
  assert.sameMembers(
    (await api.list<Run>(runsPath)).map(({ id }) => id),
    [...ids]
  )
  const created = (await api.events()).filter(({ type }) => type === "distill.run.created")
  assert.sameMembers(
    created.map(({ data }) => data.object.id),
    [...ids]
  )
}
