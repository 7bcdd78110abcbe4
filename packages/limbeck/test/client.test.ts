// @effect-diagnostics globalFetch:off
/** The typed client against the whole library over HTTP: the loop, lists, streams, refusals, and connections that break. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Client from "@limbeck/client"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { linesOf, row } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

type Storage = Layer.Layer<StoragePorts, StorageError>

/** A server on a port, and a way to make clients of it. */
const serve = async (storage: Storage, atEnd: AtEnd) => {
  const limbeck = await Limbeck.make({
    storage,
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    settings: { rateLimit: null },
    egressAllow: ["127.0.0.0/8"]
  })
  const server = createServer(limbeck.node).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
    await limbeck.close()
  })
  const { liveToken } = await limbeck.workspaces.create({ name: "Acme" })
  const { port } = server.address() as AddressInfo // It listens on a port.
  return (options: Partial<Client.ClientOptions> = {}) =>
    Client.makeClient({ baseUrl: `http://127.0.0.1:${port}/`, token: liveToken, ...options })
}

/** Sends as Fetch does, and loses the answers that `isLost` names: the work was done, and the client does not know it. */
const losing = (isLost: (request: Request) => boolean) => {
  const sent: Array<string> = []
  const lossy = async (request: Request) => {
    sent.push(`${request.method} ${new URL(request.url).pathname}`)
    const lost = isLost(request)
    const response = await globalThis.fetch(request)
    if (!lost) return response
    await response.arrayBuffer()
    throw new TypeError("fetch failed")
  }
  return { sent, fetch: lossy }
}

/** Only the first matching request. */
const firstOf = (isMeant: (request: Request) => boolean) => {
  let met = false
  return (request: Request) => {
    if (met || !isMeant(request)) return false
    met = true
    return true
  }
}

const refusalOf = async <A>(promise: Promise<unknown>, Class: new (...given: Array<never>) => A): Promise<A> => {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause
  )
  assert.isTrue(error instanceof Class, String(error))
  return error as A // It was just asserted.
}

const content = linesOf(Array.from({ length: 200 }, (_, index) => row(index)))
const stages = (["sft", "eval", "publish"] as const).map((kind) => ({ kind, config: {} }))
const plan = (version: string) => ({
  dataset_version: version,
  recipe: { student_model: "builtin/text-classifier", stages, rewards: [] },
  budget: { max_cost_usd: 5 },
  compute: { profile: "local" }
})

const versionOf = async (limbeck: Client.Client) => {
  const { id: upload } = await limbeck.uploads.send(content)
  assert.strictEqual((await limbeck.uploads.wait(upload)).rows, 200)
  const dataset = await limbeck.datasets.create({ name: "tickets" })
  const version = await limbeck.datasetVersions.create(dataset.id, { from: { upload } })
  return limbeck.datasetVersions.wait(version.id)
}

for (const [name, storageOf] of [
  ["memory", async () => StorageMemory.layer],
  ["Postgres", async (atEnd) => StoragePostgres.layer({ url: await freshDatabase(atEnd) })]
] as ReadonlyArray<readonly [string, (atEnd: AtEnd) => Promise<Storage>]>) {
  describe(`the typed client, on ${name}`, () => {
    it("goes the way from a file to a student (P220)", async ({ onTestFinished }) => {
      const limbeck = (await serve(await storageOf(onTestFinished), onTestFinished))()
      const version = await versionOf(limbeck)
      assert.strictEqual(version.status, "ready")
      const rows: Array<unknown> = []
      for await (const line of limbeck.datasetVersions.export(version.id)) rows.push(line)
      assert.lengthOf(rows, 200)

      const rehearsal = await limbeck.runs.create({ ...plan(version.id), dry_run: true })
      const rehearsed = await limbeck.runs.wait(rehearsal.id)
      assert.strictEqual(rehearsed.status, "succeeded")
      const run = await limbeck.runs.create({
        ...plan(version.id),
        validated_dry_run: rehearsal.id,
        plan_hash: rehearsed.plan_hash
      })
      const states: Array<unknown> = []
      for await (const { event, data } of limbeck.runs.stream(run.id)) {
        if (event === "state") states.push((data as Client.Run).status)
      }
      assert.strictEqual(states.at(-1), "succeeded")
      const ended = await limbeck.runs.get(run.id)
      const report = await limbeck.reports.get(ended.report ?? "")
      assert.strictEqual(report.run, run.id)
      assert.isNotNull(await limbeck.studentModels.get(ended.student_model ?? ""))
    })

    it("writes once, and sends what is left, when connections break (P221)", async ({ onTestFinished }) => {
      const open = await serve(await storageOf(onTestFinished), onTestFinished)
      const { fetch, sent } = losing(firstOf(({ method }) => method === "POST"))
      const made = await open({ fetch }).loops.create({ name: "once" })
      assert.deepStrictEqual(sent, ["POST /v1/distill/loops", "POST /v1/distill/loops"])
      assert.deepStrictEqual(await open().loops.list().all(), [made])

      const parts = losing(
        firstOf(({ headers, method }) => method === "PUT" && !headers.get("content-range")?.startsWith("bytes 0-"))
      )
      const told: Array<number> = []
      const upload = await open({ fetch: parts.fetch }).uploads.send(
        content,
        { filename: "tickets.jsonl" },
        { partBytes: 5_000, onProgress: ({ sentBytes }) => told.push(sentBytes) }
      )
      assert.strictEqual((await open().uploads.wait(upload.id)).bytes, content.length)
      assert.deepStrictEqual(
        told,
        told.toSorted((a, b) => a - b)
      )
      assert.strictEqual(told.at(-1), content.length)

      // An empty upload announces its end.
      const { id: empty } = await open().uploads.send("")
      assert.notStrictEqual((await open().uploads.get(empty)).status, "awaiting_content")

      const patches = losing(({ method }) => method === "PATCH")
      const patch = open({ fetch: patches.fetch }).loops.update(made.id, { name: "twice" })
      await refusalOf(patch, Client.ConnectionError)
      assert.lengthOf(patches.sent, 1)
    })

    it("streams an answer of chat, piece by piece (P267)", async ({ onTestFinished }) => {
      const open = await serve(await storageOf(onTestFinished), onTestFinished)
      const upstream = new Models()
      await upstream.open()
      onTestFinished(() => upstream.close())
      const pieces = ["Your parcel", " is on its way"]
      const firstHeard = Promise.withResolvers<void>()
      const said = (delta: object, finish_reason: string | null = null) =>
        `data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`
      const base_url = upstream.base(async (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(said({ role: "assistant", content: pieces[0] }))
        await firstHeard.promise
        response.end(`${said({ content: pieces[1] })}${said({}, "stop")}data: [DONE]\n\n`)
      })
      const limbeck = open()
      await limbeck.sources.create({ name: "up", kind: "byok", base_url, api_key: "sk", default: true, models: ["m"] })
      const heard: Array<string> = []
      const ends: Array<unknown> = []
      for await (const { data, event } of limbeck.chat.stream({ text: "Where is my parcel?" })) {
        // The document says what each event holds.
        if (event === "message.delta") heard.push((data as { readonly text: string }).text)
        firstHeard.resolve()
        if (event !== "message.delta") ends.push([event, (data as Client.Message).status])
      }
      assert.deepStrictEqual(heard, pieces)
      assert.deepStrictEqual(ends, [["message.completed", "completed"]])
      const refused = limbeck.chat.stream({ text: "a", agent: "agt_00000000000000000000000009" })
      await refusalOf(refused.next(), Client.ApiError)
    })

    it("meets each item of a list once, in pages", async ({ onTestFinished }) => {
      const limbeck = (await serve(await storageOf(onTestFinished), onTestFinished))()
      const names = Array.from({ length: 7 }, (_, index) => `loop ${index}`)
      for (const loop of names) await limbeck.loops.create({ name: loop })
      const met: Array<string> = []
      for await (const loop of limbeck.loops.list({ limit: 3 })) met.push(loop.name)
      assert.deepStrictEqual(met, names.toReversed())
      const { data, next_cursor } = await limbeck.loops.list({ limit: 3 }).page()
      assert.lengthOf(data, 3)
      const rest = await limbeck.loops.list({ limit: 100, cursor: next_cursor ?? "" }).all()
      assert.lengthOf(rest, 4)
    })

    it("throws refusals by their class, and gives up waiting without an end", async ({ onTestFinished }) => {
      const open = await serve(await storageOf(onTestFinished), onTestFinished)
      const limbeck = open()
      const misspelt: object = { names: "x" }
      const invalid = await refusalOf(limbeck.loops.create(misspelt as never), Client.InvalidRequestError)
      assert.deepInclude(invalid, { status: 400, code: "invalid_request_error", param: "names" })
      assert.match(invalid.requestId ?? "", /^req_/)
      await refusalOf(limbeck.runs.get("run_00000000000000000000000009"), Client.NotFoundError)
      await refusalOf(open({ token: "svc_live_none" }).whoami(), Client.AuthenticationError)
      assert.throws(() => limbeck.runs.get(""), TypeError)
      const { id } = await limbeck.uploads.create({ filename: "a.jsonl", format: "chat_jsonl" })
      const over = await refusalOf(
        limbeck.uploads.wait(id, { waitMillis: 300 }),
        Client.WaitTimeoutError<Client.Upload>
      )
      assert.strictEqual(over.last.status, "awaiting_content")
      const stopped = AbortSignal.abort(new Error("stopped"))
      assert.strictEqual((await refusalOf(limbeck.uploads.wait(id, { signal: stopped }), Error)).message, "stopped")
    })
  })
}
