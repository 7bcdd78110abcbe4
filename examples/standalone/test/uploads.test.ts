// A client in plain Node.
// @effect-diagnostics globalFetch:off
import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Api, type Refusal, rows, type Upload, type Version } from "./Api.ts"
import { embedded } from "./Server.ts"
import { patienceMillis } from "./Waiting.ts"

const count = 60_000

const announced = async (api: Api, type: string): Promise<number> =>
  (await api.events()).filter((event) => event.type === type).length

const contentOf = ({ content_sha256, holdout_rows, train_rows }: Version) => ({
  content_sha256,
  holdout_rows,
  train_rows
})

it("a server that is killed while it takes, reads and builds data ends it whole after a restart, and never shows a half", {
  timeout: 3 * patienceMillis
}, async () => {
  const server = await (await embedded()).start()
  const api = new Api(server)
  const content = rows(count)
  const uploadPath = (upload: Upload) => `/v1/distill/uploads/${upload.id}`

  const upload = await api.announce()
  const { pathname, search } = new URL(upload.upload_url)
  const put = request(server.origin + pathname + search, { method: "PUT" })
  put.once("error", () => {})
  put.write(content.slice(0, content.length / 2))
  await sleep(50)
  await server.kill()
  await server.start()
  // Half a content is none: it can be sent again.
  assert.deepInclude(await api.get<Upload>(uploadPath(upload)), { status: "awaiting_content", rows: null })
  assert.strictEqual((await api.send(upload, content)).status, 202)
  await server.kill()
  await server.start()
  const half = await api.get<Upload>(uploadPath(upload))
  assert.include(
    [
      ["processing", null],
      ["succeeded", count]
    ].map(String),
    String([half.status, half.rows])
  )
  assert.deepInclude(await api.uploaded(upload), { status: "succeeded", rows: count })
  assert.strictEqual(await announced(api, "distill.upload.succeeded"), 1)

  const version = await api.build(upload)
  const path = `/v1/distill/dataset_versions/${version.id}`
  await sleep(500)
  assert.deepInclude(await api.get<Version>(path), { status: "building", rows: 0 })
  await server.kill()
  await server.start()
  assert.deepInclude(await api.get<Version>(path), { status: "building", rows: 0 })
  for (const view of ["rows", "export"]) {
    const refused = await api.call<Refusal>("GET", `${path}/${view}`)
    assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "conflict_error"])
  }
  assert.deepInclude(await api.built(version), { status: "ready", rows: count })
  assert.strictEqual(await announced(api, "distill.dataset_version.ready"), 1)
  const kept = (await api.text(`${path}/export`)).trimEnd().split("\n")
  assert.strictEqual(kept.length, count)
  assert.deepStrictEqual(new Set(kept), new Set(content.split("\n")))

  // A build that nothing disturbed comes to the same.
  const calm = await api.built(await api.build(upload))
  assert.deepStrictEqual(contentOf(await api.get<Version>(path)), contentOf(calm))
})
