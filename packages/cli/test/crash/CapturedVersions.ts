/** A server is killed, again and again, while a version is built of captured calls. */
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import * as Partition from "@limbeck/core/partition/Partition"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { client } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Api, type Version } from "../Api.ts"
import { quiet, Server } from "../Server.ts"
import * as Hold from "./Hold.ts"
import { announced, assertHidden, assertSameContent } from "./Versions.ts"

/** Many batches. */
const count = caseCount(3_000, 40_000)
const perAppend = 1_000
const kills = 2

const question = (n: number) => `ticket ${n}`
const request = (n: number) => JSON.stringify({ model: "m", messages: [{ role: "user", content: question(n) }] })
const answer = (n: number) =>
  JSON.stringify({ choices: [{ message: { role: "assistant", content: `label ${n % 3}` }, finish_reason: "stop" }] })

type Client = Effect.Success<ReturnType<typeof client>>

/** A durable Postgres that outlives its servers, and the actions of a test on it. */
const durable = async (atEnd: AtEnd) => {
  const scope = Scope.makeUnsafe()
  atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const launched = EmbeddedPostgres.launch({ dataDir: join(await temporaryFolder(atEnd), "data"), durable: true })
  const { url } = await Effect.runPromise(Scope.provide(launched, scope))
  const run = <A, E>(work: (sql: Client) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(client("limbeck", url), work)))

  /** Stores calls like a proxy's captures, for the existing dataset's workspace. */
  const capture = async () => {
    const [dataset] = await run(
      (sql) => sql<{ key: string }>`SELECT partition AS key FROM resources WHERE kind = 'dataset'`
    )
    const partition = Partition.fromKey(dataset?.key ?? "")
    const append = Effect.gen(function* () {
      const store = yield* CallStore
      for (let from = 0; from < count; from += perAppend) {
        const calls = Calls.calls(perAppend, (n) => ({ request: request(from + n), response: answer(from + n) }))
        yield* store.append(Calls.inPartition(partition, calls))
      }
    })
    await Effect.runPromise(Effect.provide(append, StoragePostgres.layer({ url })))
  }
  /** Rows of versions, also of half ones. */
  const stored = async () => {
    const [found] = await run((sql) => sql<{ rows: number }>`SELECT count(*)::int AS rows FROM dataset_rows`)
    return found?.rows ?? 0
  }
  return { url, capture, stored }
}

export const capturedVersions = async (atEnd: AtEnd) => {
  const database = await durable(atEnd)
  const server = await new Server(atEnd, {
    ...quiet,
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64")
  }).start()
  const api = new Api(server)
  const dataset = await api.create<{ readonly id: string }>("/v1/distill/datasets", { name: "tickets" })
  await database.capture()

  const build = () =>
    api.create<Version>(`/v1/distill/datasets/${dataset.id}/versions`, { from: { calls: { model: "large" } } })
  await Hold.hold(database.url, Hold.secondBatch)
  const version = await build()
  const path = `/v1/distill/dataset_versions/${version.id}`
  for (let kill = 0; kill < kills; kill++) {
    await Hold.isHeld(database.url)
    await assertHidden(api, path)
    await server.kill()
    await Hold.endWaiting(database.url)
    const left = await database.stored()
    assert.isAbove(left, 0)
    assert.isBelow(left, count)
    await server.start()
  }
  await assertHidden(api, path)
  await Hold.release(database.url)

  assert.deepInclude(await api.built(version), { status: "ready", rows: count })
  assert.strictEqual(await database.stored(), count)
  assert.strictEqual(await announced(api, "distill.dataset_version.ready"), 1)
  const kept = (await api.text(`${path}/export`)).trimEnd().split("\n")
  const said = kept.map((line) => (JSON.parse(line) as { messages: [{ content: string }] }).messages[0].content)
  assert.deepStrictEqual(said.toSorted(), Array.from({ length: count }, (_, n) => question(n)).toSorted())
  await assertSameContent(api, path, await build())
}
