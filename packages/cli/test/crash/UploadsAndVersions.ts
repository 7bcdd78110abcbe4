// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** A server is killed during an upload, while it reads the content, and while it builds a version. */
import { createHash } from "node:crypto"
import { request } from "node:http"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, rows, type Upload } from "../Api.ts"
import { usedFolder } from "../DataFolder.ts"
import { quiet, Server } from "../Server.ts"
import * as Hold from "./Hold.ts"
import { announced, assertHidden, assertSameContent } from "./Versions.ts"

/** Many batches. */
const count = caseCount(4_000, 60_000)

/** Sends the first half of the content, and no more. */
const sendHalf = async (api: Api, upload: Upload, content: string) => {
  const put = request(contentUrl(api, upload), { method: "PUT" })
  // The server is about to be killed.
  put.once("error", () => {})
  await new Promise((resolve) => put.write(content.slice(0, content.length / 2), resolve))
}

const contentUrl = (api: Api, upload: Upload): string => {
  const { pathname, search } = new URL(upload.upload_url)
  return api.server.origin + pathname + search
}

/** Where the next range begins. */
const offsetOf = async (api: Api, upload: Upload): Promise<number> => {
  const { headers, status } = await fetch(contentUrl(api, upload), { method: "HEAD" })
  assert.strictEqual(status, 200)
  return Number(headers.get("upload-offset"))
}

/** Sends the content from the server's offset on. */
const sendRest = async (api: Api, upload: Upload, content: string) => {
  const from = await offsetOf(api, upload)
  const range = `bytes ${from}-${content.length - 1}/${content.length}`
  const init = { method: "PUT", headers: { "content-range": range }, body: content.slice(from) }
  assert.strictEqual((await fetch(contentUrl(api, upload), init)).status, 202)
  return from
}

/** Content whose last byte arrived before the kill is sealed and read without a request. */
const sealedAfterKill = async (api: Api, content: string, restart: () => Promise<void>) => {
  const upload = await api.announce()
  const half = Math.floor(content.length / 2)
  const put = (from: number, body: string) =>
    fetch(contentUrl(api, upload), {
      method: "PUT",
      headers: { "content-range": `bytes ${from}-${from + body.length - 1}/${content.length}` },
      body
    })
  assert.strictEqual((await put(0, content.slice(0, half))).status, 202)
  const last = put(half, content.slice(half)).catch(() => undefined)
  await eventually("the last byte is there", async () =>
    (await offsetOf(api, upload)) === content.length ? true : undefined
  )
  await restart()
  await last
  const path = `/v1/distill/uploads/${upload.id}`
  await api.finished<Upload>(path, "awaiting_content")
  assert.deepInclude(await api.uploaded(upload), { status: "succeeded", rows: count })
  return upload
}

export const uploadsAndVersions = async (atEnd: AtEnd) => {
  const DATA_DIR = await usedFolder(atEnd)
  const server = await new Server(atEnd, { ...quiet, STORAGE: "embedded", DATA_DIR }).start()
  const api = new Api(server)
  const restart = async () => {
    await server.kill()
    await server.start()
  }
  const content = rows(count)
  const first = await api.upload(content)
  assert.deepInclude(await api.uploaded(first), { status: "succeeded", rows: count })

  // Half a content is none: it can be sent again, or resumed.
  const second = await api.announce()
  const third = await api.announce()
  await sendHalf(api, second, content)
  await sendHalf(api, third, content)
  await eventually("some of the content is kept", async () => ((await offsetOf(api, third)) > 0 ? true : undefined))
  await restart()
  const thirdPath = `/v1/distill/uploads/${third.id}`
  assert.deepInclude(await api.get<Upload>(thirdPath), { status: "awaiting_content", rows: null })
  assert.isAbove(await sendRest(api, third, content), 0)
  assert.deepInclude(await api.uploaded(third), {
    status: "succeeded",
    rows: count,
    sha256: createHash("sha256").update(content).digest("hex")
  })
  const secondPath = `/v1/distill/uploads/${second.id}`
  assert.deepInclude(await api.get<Upload>(secondPath), { status: "awaiting_content", rows: null })

  await Hold.hold(await Hold.embeddedUrl(DATA_DIR), Hold.secondBatch)
  const version = await api.build(first)
  const path = `/v1/distill/dataset_versions/${version.id}`
  assert.strictEqual((await api.send(second, content)).status, 202)
  await Hold.isHeld(await Hold.embeddedUrl(DATA_DIR))
  await assertHidden(api, path)
  await restart()
  await assertHidden(api, path)
  await Hold.release(await Hold.embeddedUrl(DATA_DIR))
  const { rows: read, status } = await api.get<Upload>(secondPath)
  assert.strictEqual(read, status === "succeeded" ? count : null)

  assert.deepInclude(await api.uploaded(second), { status: "succeeded", rows: count })
  assert.deepInclude(await api.built(version), { status: "ready", rows: count })
  await sealedAfterKill(api, content, restart)
  assert.strictEqual(await announced(api, "distill.upload.succeeded"), 4)
  assert.strictEqual(await announced(api, "distill.dataset_version.ready"), 1)
  const kept = (await api.text(`${path}/export`)).trimEnd().split("\n")
  assert.strictEqual(kept.length, count)
  assert.deepStrictEqual(new Set(kept), new Set(content.split("\n")))
  await assertSameContent(api, path, await api.build(second))
}
