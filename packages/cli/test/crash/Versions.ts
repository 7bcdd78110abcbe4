/** Checks of a version with an interrupted build. */
import { assert } from "@effect/vitest"
import type { Api, Refusal, Version } from "../Api.ts"

export const announced = async (api: Api, type: string): Promise<number> =>
  (await api.events()).filter((event) => event.type === type).length

/** The version is building, and hides its stored rows. */
export const assertHidden = async (api: Api, path: string) => {
  assert.deepInclude(await api.get<Version>(path), { status: "building", rows: 0 })
  for (const view of ["rows", "export"]) {
    const refused = await api.call<Refusal>("GET", `${path}/${view}`)
    assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "conflict_error"])
  }
}

const contentOf = ({ content_sha256, holdout_rows, train_rows }: Version) => ({
  content_sha256,
  holdout_rows,
  train_rows
})

/** An undisturbed build has the same content. */
export const assertSameContent = async (api: Api, path: string, calm: Version) => {
  const ready = await api.built(calm)
  assert.deepStrictEqual(contentOf(await api.get<Version>(path)), contentOf(ready))
}
