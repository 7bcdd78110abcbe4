/** A server is killed while it pulls a bucket's objects, and while it reads the pulled rows. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as S3Server from "@limbeck/testing/upstream/S3Server"
import { rows, type Version } from "../Api.ts"
import { count, hosting, killedPull } from "./KilledPull.ts"

/** The content in three objects. The first request for the second object gets only half of it. */
const bucketOf = (content: string) => {
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
  const asked = (key: string) => store.asked.filter(({ url }) => url.includes(key)).length
  const bytes = [...store.objects.values()].reduce((sum, { length }) => sum + length, 0)
  return { asked, bytes, halves: () => halves, listener: S3Server.listener(store) }
}

export const bucketPulls = async (atEnd: AtEnd) => {
  const content = rows(count)
  const bucket = bucketOf(content)
  const host = await hosting(atEnd, bucket.listener)
  const config = {
    bucket: "rows",
    prefix: "rows/",
    region: "eu-west-1",
    endpoint: host.origin,
    force_path_style: true,
    access_key_id: S3Server.credentials.id,
    secret_access_key: S3Server.credentials.secret
  }
  const connector = { name: "bucket", kind: "s3", config }
  const { api, pull, versions } = await killedPull(atEnd, host, connector, () => bucket.halves() > 0)
  assert.deepInclude(pull, { status: "succeeded", rows: count, bytes: bucket.bytes })
  // What is here is not fetched again.
  assert.deepStrictEqual(["a.jsonl", "b.jsonl", "c.jsonl"].map(bucket.asked), [2, 2, 1])

  const version = await api.built(await api.create<Version>(versions, { from: { pull: pull.id } }))
  assert.deepInclude(version, { status: "ready", rows: count })
  const kept = (await api.text(`/v1/distill/dataset_versions/${version.id}/export`)).trimEnd().split("\n")
  assert.deepStrictEqual(new Set(kept), new Set(content.split("\n")))
}
