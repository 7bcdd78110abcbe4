/** A server is killed while it pulls the objects of a bucket, and while it reads what it pulled. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as S3Server from "@limbeck/testing/upstream/S3Server"
import { Api, isOver, type Refusal, rows, type Version } from "../Api.ts"
import { embedded } from "../Server.ts"
import { announced } from "./Versions.ts"

const count = 60_000

interface Pull {
  readonly id: string
  readonly status: string
  readonly rows: number | null
  readonly bytes: number | null
}

/** The content in three objects. Who asks for the second one first is sent half of it, and no more. */
const hosting = async (atEnd: AtEnd, content: string) => {
  const lines = content.split("\n")
  const third = Math.ceil(lines.length / 3)
  const part = (number: number) => `${lines.slice(number * third, (number + 1) * third).join("\n")}\n`
  const store = S3Server.make({ "rows/a.jsonl": part(0), "rows/b.jsonl": part(1), "rows/c.jsonl": part(2) })
  let halves = 0
  store.intercept = ({ url }, response) => {
    if (halves > 0 || url?.includes("b.jsonl") !== true) return false
    halves += 1
    const object = store.objects.get("rows/b.jsonl") ?? Buffer.alloc(0)
    response.writeHead(200, { etag: '"half"', "content-length": object.length })
    response.write(object.subarray(0, object.length / 2))
    return true
  }
  const host = createServer(S3Server.listener(store)).listen(0, "127.0.0.1")
  await once(host, "listening")
  atEnd(() => {
    host.closeAllConnections()
    host.close()
  })
  const { port } = host.address() as AddressInfo // It listens on a port.
  const asked = (key: string) => store.asked.filter(({ url }) => url.includes(key)).length
  const bytes = [...store.objects.values()].reduce((sum, { length }) => sum + length, 0)
  return { endpoint: `http://127.0.0.1:${port}`, asked, bytes, halves: () => halves }
}

export const bucketPulls = async (atEnd: AtEnd) => {
  const server = await (await embedded(atEnd)).start()
  const api = new Api(server)
  const restart = async () => {
    await server.kill()
    await server.start()
  }
  const content = rows(count)
  const host = await hosting(atEnd, content)
  const config = {
    bucket: "rows",
    prefix: "rows/",
    region: "eu-west-1",
    endpoint: host.endpoint,
    force_path_style: true,
    access_key_id: S3Server.credentials.id,
    secret_access_key: S3Server.credentials.secret
  }
  const connector = await api.create<{ readonly id: string }>("/v1/distill/connectors", {
    name: "bucket",
    kind: "s3",
    config
  })
  const { id } = await api.create<Pull>(`/v1/distill/connectors/${connector.id}/pulls`, {})
  const path = `/v1/distill/pulls/${id}`

  await eventually("the pull is in the middle of an object", async () => host.halves() > 0 || undefined)
  await restart()
  // Half a content is none, also where an object of it had come whole.
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
  assert.deepInclude(ended, { status: "succeeded", rows: count, bytes: host.bytes })
  // What is here is not fetched again.
  assert.deepStrictEqual(["a.jsonl", "b.jsonl", "c.jsonl"].map(host.asked), [2, 2, 1])
  assert.strictEqual(await announced(api, "distill.pull.succeeded"), 1)
  assert.strictEqual(await announced(api, "distill.pull.failed"), 0)

  const version = await api.built(await api.create<Version>(versions, { from: { pull: id } }))
  assert.deepInclude(version, { status: "ready", rows: count })
  const kept = (await api.text(`/v1/distill/dataset_versions/${version.id}/export`)).trimEnd().split("\n")
  assert.deepStrictEqual(new Set(kept), new Set(content.split("\n")))
}
