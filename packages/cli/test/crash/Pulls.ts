/** A server is killed while it pulls a file, and while it reads what it pulled. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { Api, isOver, type Refusal, rows } from "../Api.ts"
import { embedded } from "../Server.ts"

const count = 60_000

interface Pull {
  readonly id: string
  readonly status: string
  readonly rows: number | null
  readonly bytes: number | null
}

/** Sends half of the content to the first who asks, and all of it to the others. */
const hosting = async (atEnd: AtEnd, content: string) => {
  let asked = 0
  const host = createServer((_, response) => {
    asked += 1
    if (asked > 1) response.end(content)
    else response.write(content.slice(0, content.length / 2))
  }).listen(0, "127.0.0.1")
  await once(host, "listening")
  atEnd(() => {
    host.closeAllConnections()
    host.close()
  })
  const { port } = host.address() as AddressInfo // It listens on a port.
  return { url: `http://127.0.0.1:${port}/rows.jsonl`, asked: () => asked }
}

export const pulls = async (atEnd: AtEnd) => {
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server)
  const restart = async () => {
    await server.kill()
    await server.start()
  }
  const content = rows(count)
  const host = await hosting(atEnd, content)
  const config = { url: host.url, auth_header: "Bearer kept" }
  const connector = await api.create<{ readonly id: string }>("/v1/distill/connectors", {
    name: "files",
    kind: "http_jsonl",
    config
  })
  const { id } = await api.create<Pull>(`/v1/distill/connectors/${connector.id}/pulls`, {})
  const path = `/v1/distill/pulls/${id}`

  await eventually("the pull asks its host", async () => host.asked() > 0 || undefined)
  await restart()
  // Half a content is none.
  const { bytes, rows: read } = await api.get<Pull>(path)
  assert.deepStrictEqual([bytes, read], [null, null])
  const dataset = await api.create<{ readonly id: string }>("/v1/distill/datasets", { name: "pulled" })
  const versions = `/v1/distill/datasets/${dataset.id}/versions`
  const early = await api.call<Refusal>("POST", versions, { body: { from: { pull: id } } })
  assert.deepStrictEqual([early.status, early.body.error.code], [409, "conflict_error"])

  await eventually("the content is here", async () => (await api.get<Pull>(path)).bytes ?? undefined)
  await restart()
  const ended = await eventually("the pull ends", async () => {
    const pull = await api.get<Pull>(path)
    return isOver(pull) ? pull : undefined
  })
  assert.deepInclude(ended, { status: "succeeded", rows: count, bytes: content.length })
  assert.strictEqual(host.asked(), 2)
  const told = (await api.events()).filter(({ type }) => type.startsWith("distill.pull."))
  assert.deepStrictEqual(
    told.map(({ type }) => type),
    ["distill.pull.succeeded"]
  )
}
