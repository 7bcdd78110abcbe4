/** The commands that ask a running server, over HTTP: one case of each command is a process, and the other cases run in this process. */
import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { receiver } from "@limbeck/client/webhooks/node"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { linesOf, row } from "@limbeck/testing/http/Steps"
import { Signal } from "@limbeck/testing/Signal"
import { runHere } from "./InProcess.ts"
import { quiet, runToEnd, Server, type ServerResult, startCommand, testToken } from "./Server.ts"

/** Shared by all tests, because starting processes takes most of their time. */
const server = new Server(afterAll, { ...quiet, STORAGE: "memory" })
beforeAll(() => server.start())

const opened = () => ({
  environment: { LIMBECK_URL: server.origin, LIMBECK_TOKEN: testToken },
  client: makeClient({ baseUrl: server.origin, token: testToken })
})

const fileOf = async (atEnd: AtEnd, content: string) => {
  const file = path.join(await temporaryFolder(atEnd), "tickets.jsonl")
  await fs.writeFile(file, content)
  return file
}

const rows = linesOf(Array.from({ length: 200 }, (_, index) => row(index)))
const assertDone = ({ code, stderr }: ServerResult) => assert.deepStrictEqual([code, stderr], [0, []])

describe.concurrent("the commands of a running server", () => {
  it("upload sends a file, resumes it, makes a version, and says which lines are wrong (P223)", async ({
    onTestFinished
  }) => {
    const { client, environment } = opened()
    const file = await fileOf(onTestFinished, rows)
    const made = await runToEnd(environment, ["upload", file, "--dataset", "tickets"])
    assertDone(made)
    assert.match(
      made.stdout.join("\n"),
      /^(upl_\w+), which --resume \1 completes if it is cut off\n\1 succeeded: 200 rows\ndsv_\w+ ready: \d+ rows to train on/
    )

    const { id } = await client.uploads.create({ filename: "cut.jsonl", format: "chat_jsonl" })
    const cut = new AbortController()
    const sending = client.uploads.resume(id, rows, {
      partBytes: 4_000,
      signal: cut.signal,
      onProgress: () => cut.abort(new Error("cut"))
    })
    assert.strictEqual(await sending.catch((error: Error) => error.message), "cut")
    const resumed = await runHere(environment, ["upload", file, "--resume", id])
    assertDone(resumed)
    assert.deepStrictEqual(resumed.stdout, [`${id} succeeded: 200 rows`])
    assert.strictEqual((await client.uploads.get(id)).bytes, rows.length)

    const wrong = await runHere(environment, ["upload", await fileOf(onTestFinished, "no JSON\n")])
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stdout.join("\n"), / failed: 0 rows\nline 1: /)
  })

  it("watch follows a run to its end (P223)", async () => {
    const { client, environment } = opened()
    const { id: upload } = await client.uploads.send(rows)
    await client.uploads.wait(upload)
    const dataset = await client.datasets.create({ name: "tickets" })
    const version = await client.datasetVersions.create(dataset.id, { from: { upload } })
    await client.datasetVersions.wait(version.id)
    const run = await client.runs.create({
      dataset_version: version.id,
      recipe: { student_model: "builtin/text-classifier", stages: [{ kind: "sft", config: {} }], rewards: [] },
      budget: { max_cost_usd: 5 },
      dry_run: true
    })
    const watched = await runToEnd(environment, ["watch", run.id])
    assertDone(watched)
    assert.match(watched.stdout.at(-1) ?? "", /^succeeded 2\/2, \$\S+ of \$5$/)
    const events = (await runHere(environment, ["watch", run.id, "--json"])).stdout.map((line) => JSON.parse(line))
    assert.strictEqual(events.at(-1).data.status, "succeeded")
    assert.deepStrictEqual(
      events.map(({ id }) => Number(id)),
      Array.from(events, (_, index) => index + 1)
    )
  })

  it("webhooks listen passes deliveries on as they came, and takes its endpoint away (P223)", async ({
    onTestFinished
  }) => {
    const { client, environment } = opened()
    const received: Array<string> = []
    const changes = new Signal()
    let secret = ""
    const receiving = createServer((request, response) =>
      receiver({
        secret,
        handler: ({ event }) => {
          received.push(event.type)
          changes.ring()
        }
      })(request, response)
    ).listen(0, "127.0.0.1")
    onTestFinished(() => void receiving.close())
    await once(receiving, "listening")
    const { port } = receiving.address() as AddressInfo // It listens on a port.
    const forward = ["webhooks", "listen", "--forward-to", `http://127.0.0.1:${port}/`]
    const listening = startCommand(onTestFinished, environment, forward)
    await listening.changes.until("it listens", () => listening.stdout.some((line) => line.startsWith("Ready")))
    secret = /whsec_\S+/.exec(listening.stdout[0] ?? "")?.[0] ?? ""
    const [endpoint] = await client.webhookEndpoints.list().all()
    await client.webhookEndpoints.ping(endpoint?.id ?? "")
    // The receiver has verified the forwarded signature.
    await changes.until("the ping is received", () => received.includes("webhook.ping"))
    await listening.changes.until("it is shown", () => / evt_\w+ \S+ -> 204$/.test(listening.stdout.at(-1) ?? ""))
    listening.child.kill("SIGINT")
    assertDone(await listening.ended)
    assert.isEmpty(await client.webhookEndpoints.list().all())
  })

  it("say in a line what is wrong, and end with it", async () => {
    const none = await runToEnd({ LIMBECK_URL: "http://127.0.0.1:1" }, ["watch", "run_1"])
    assert.deepStrictEqual([none.code, none.stderr], [2, ["LIMBECK_TOKEN: the token of a workspace is needed"]])
    const { environment } = opened()
    const unknown = await runHere(environment, ["watch", "run_00000000000000000000000009"])
    assert.strictEqual(unknown.code, 1)
    assert.match(unknown.stderr.join(), /not_found_error, request req_/)
    const refused = await runHere(environment, ["token", "create", "--name", "app", "--scopes", "nothing"])
    assert.match(refused.stderr.join(), /^scopes\S*: .+invalid_request_error, request req_/)
    const away = await runHere({ ...environment, LIMBECK_URL: "http://127.0.0.1:2" }, ["token", "list"])
    assert.match(
      away.stderr.join(),
      /^No answer from http:\/\/127\.0\.0\.1:2\/v1\/\S+: connect ECONNREFUSED .+limbeck serve/
    )
    const missing = await runHere(environment, ["upload", "/nowhere/rows.jsonl"])
    assert.strictEqual(missing.code, 1)
    assert.match(missing.stderr.join(), /rows\.jsonl/)
  })
})
