/** A server is killed while it pulls a file, and while it reads the rows. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { rows } from "../Api.ts"
import { count, hosting, killedPull } from "./KilledPull.ts"

export const pulls = async (atEnd: AtEnd) => {
  const content = rows(count)
  let asked = 0
  // Half of the content for the first request, and all of it for later ones.
  const host = await hosting(atEnd, (_, response) => {
    asked += 1
    if (asked > 1) response.end(content)
    else response.write(content.slice(0, content.length / 2))
  })
  const config = { url: `${host.origin}/rows.jsonl`, auth_header: "Bearer kept" }
  const connector = { name: "files", kind: "http_jsonl", config }
  const { pull } = await killedPull(atEnd, host, connector, () => asked > 0)
  assert.deepInclude(pull, { status: "succeeded", rows: count, bytes: content.length })
  assert.strictEqual(asked, 2)
}
