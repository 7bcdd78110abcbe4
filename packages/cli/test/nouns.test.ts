// Asks the proxy as a program does.
// @effect-diagnostics globalFetch:off
/**
 * The nouns of the program: every verb of the table against the whole library in this process, over HTTP. Without a child
 * process, each noun and verb costs milliseconds.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { makeOperations, type OperationId } from "@limbeck/client/operations"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { eventually } from "@limbeck/testing/Eventually"
import { linesOf, row } from "@limbeck/testing/http/Steps"
import { Signal } from "@limbeck/testing/Signal"
import { key, Models } from "@limbeck/testing/upstream/Models"
import * as Redacted from "effect/Redacted"
import * as Output from "../src/Output.ts"
import * as Listen from "../src/remote/Listen.ts"
import { idsOf } from "../src/remote/nouns/Acting.ts"
import * as Listing from "../src/remote/nouns/Listing.ts"
import { nounTable, type Verb } from "../src/remote/nouns/NounTable.ts"
import * as Tail from "../src/remote/nouns/Tail.ts"
import type { Watching } from "../src/remote/nouns/Watching.ts"
import type { Command } from "../src/remote/Remote.ts"
import * as Terminal from "../src/terminal/Terminal.ts"
import { type Given, runOnScreen as limbeck } from "./InProcess.ts"

type NounName = keyof typeof nounTable
const names = Object.keys(nounTable) as ReadonlyArray<NounName>

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

const done = async (words: ReadonlyArray<string>, given: Given = {}) => {
  const { code, error, out } = await limbeck([...words, "--json"], given)
  assert.deepStrictEqual([code, error], [0, ""])
  return lines(out).map((line) => JSON.parse(line))
}

const created = async (noun: NounName, ids: ReadonlyArray<string>, body: object): Promise<string> => {
  const [made] = await done([noun, "create", ...ids, "-"], { input: JSON.stringify(body) })
  return made.id
}

let client: Client
let connection = { baseUrl: "", token: "" }
let testToken = ""
/** Parent ids before the item id, such as the dataset id before a version id. */
const within: Partial<Record<NounName, ReadonlyArray<string>>> = {}
const made: Partial<Record<NounName, string>> = {}

/** Sample item for each noun, created by the program if it has a verb for creation. */
const seed = async (upstream: string) => {
  made.sources = await created("sources", [], {
    name: "desk",
    kind: "byok",
    base_url: upstream,
    api_key: key,
    default: true
  })
  made.endpoints = await created("endpoints", [], { url: "https://127.0.0.1:1/", enabled_events: ["*"] })
  made.tokens = await created("tokens", [], { name: "app", scopes: ["events:read"] })
  made.rewards = await created("rewards", [], { name: "has", kind: "contains", config: { value: "a" } })
  const config = { url: "https://127.0.0.1:1/rows.jsonl" }
  made.connectors = await created("connectors", [], { name: "rows", kind: "http_jsonl", config })
  made.agents = await created("agents", [], { name: "Ann" })
  made.datasets = await created("datasets", [], { name: "tickets" })
  const upload = await client.uploads.send(linesOf(Array.from({ length: 40 }, (_, index) => row(index))))
  await client.uploads.wait(upload.id)
  made.uploads = upload.id
  within.versions = [made.datasets]
  made.versions = await created("versions", within.versions, { from: { upload: upload.id } })
  await client.datasetVersions.wait(made.versions)
  const plan = { dataset_version: made.versions, objective: "cost", max_cost_usd: 1 } as const
  const { compute, rewards, stages, student_model } = await client.recipes.propose(plan)
  const recipe = { student_model, stages, rewards }
  const run = {
    dataset_version: made.versions,
    recipe,
    compute: { profile: compute.profile },
    budget: { max_cost_usd: 1 },
    dry_run: true
  }
  made.runs = await created("runs", [], run)
  made.reports = (await client.runs.wait(made.runs)).report ?? ""
  const endpoint = { base_url: "https://127.0.0.1:1/v1", model: "ft" }
  made.students = await created("students", [], { name: "desk", base_model: "tiny", endpoint })
  made.deployments = await created("deployments", [], { alias: "desk", mode: "shadow", student_model: made.students })
  within.deliveries = [made.endpoints]
}

const call = async () => {
  const response = await globalThis.fetch(`${connection.baseUrl}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${connection.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }] })
  })
  await response.text()
  return response.headers.get("x-service-call-id") ?? ""
}

beforeAll(async () => {
  const models = new Models()
  await models.open()
  afterAll(() => models.close())
  const library = await Limbeck.make({
    storage: StorageMemory.layer,
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    settings: { rateLimit: null },
    egressAllow: ["127.0.0.0/8"]
  })
  const server = createServer(library.node).listen(0, "127.0.0.1")
  await once(server, "listening")
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await library.close()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  connection = { baseUrl: `http://127.0.0.1:${port}`, token: library.bootstrapped.liveToken ?? "" }
  testToken = library.bootstrapped.testToken ?? ""
  process.env["LIMBECK_URL"] = connection.baseUrl
  process.env["LIMBECK_TOKEN"] = connection.token
  client = makeClient(connection)
  await seed(models.speaking("billing"))
  await call()
  await eventually("the call is stored", async () => (await client.calls.list().all()).length === 1)
})

const listed = (noun: NounName, ...words: ReadonlyArray<string>) => [noun, "list", ...(within[noun] ?? []), ...words]
/** Arguments before the item id; versions need only their own id. */
const before = (noun: NounName, operation: OperationId = nounTable[noun].show) =>
  (within[noun] ?? []).slice(0, idsOf(operation).length - 1)
const shown = (noun: NounName, id: string) => [noun, "show", ...before(noun), id]

describe("each noun", () => {
  it.each(names)("%s lists and shows: JSON, in a pipe, and on a terminal of any width (P1662)", async (noun) => {
    const items = await done(listed(noun, "--limit", "3"))
    assert.isNotEmpty(items)
    if (made[noun] !== undefined)
      assert.include(
        items.map(({ id }) => id),
        made[noun]
      )
    const ids = items.map(({ id }) => id)

    const piped = await limbeck(listed(noun, "--limit", "3"))
    assert.deepStrictEqual([piped.code, lines(piped.out).map((line) => line.split("\t")[0])], [0, ids])
    const input = items.map((item) => JSON.stringify(item)).join("\n")
    assert.deepStrictEqual(
      (await done(shown(noun, "-"), { input })).map(({ id }) => id),
      ids
    )
    assert.deepStrictEqual(
      (await done(shown(noun, "-"), { input: piped.out })).map(({ id }) => id),
      ids
    )

    for (const width of [40, 100, 400]) {
      const table = lines((await limbeck(listed(noun, "--limit", "3"), { width })).out)
      assert.match(table[0] ?? "", /^ID +/)
      assert.lengthOf(table, items.length + 1)
      const fields = lines((await limbeck(shown(noun, ids[0]), { width })).out)
      assert.lengthOf(fields, Object.keys((await done(shown(noun, ids[0])))[0]).length)
      for (const line of [...table, ...fields]) assert.isAtMost(line.length, width)
    }
  })

  it.each(names)("%s refuses what is wrong, by message and exit code (P1662)", async (noun) => {
    const missing = await limbeck([...shown(noun, "nothing_here"), "--json"])
    assert.deepStrictEqual([missing.code, missing.out], [1, ""])
    const { error } = JSON.parse(missing.error)
    assert.deepStrictEqual(
      [error.code, typeof error.message, typeof error.request_id],
      ["not_found_error", "string", "string"]
    )
    const filtered = await limbeck(listed(noun, "--where", "colour=red", "--json"))
    assert.deepStrictEqual([filtered.code, filtered.out], [2, ""])
    assert.include(JSON.parse(filtered.error).error.message, "colour")

    const verbs: Readonly<Record<string, Verb>> = nounTable[noun].verbs
    for (const verb of ["show", ...Object.keys(verbs)].filter((one) => one !== "create" || within[noun])) {
      const bare = await limbeck([noun, verb, "--json"])
      assert.deepStrictEqual([bare.code, bare.out, JSON.parse(bare.error).error.code], [2, "", "usage"], verb)
    }
    for (const [verb, { hasBody, isFinal, operation }] of Object.entries(verbs)) {
      const ids = [...before(noun, operation), made[noun] ?? "x"]
      if (isFinal === true) {
        const unconfirmed = await limbeck([noun, verb, ...ids, "--json"])
        assert.deepStrictEqual([unconfirmed.code, JSON.parse(unconfirmed.error).error.code], [2, "usage"])
      }
      if (hasBody !== true) continue
      const wrong = await limbeck([noun, verb, ...(verb === "create" ? (within[noun] ?? []) : ids), "-", "--json"], {
        input: "{"
      })
      assert.deepStrictEqual([wrong.code, wrong.out], [1, ""])
      assert.include(JSON.parse(wrong.error).error.message, "standard input is no JSON")
    }
  })
})

describe("a watch", () => {
  /** Runs the command until its output has so many lines. */
  const until = async (
    commandOf: (watching: Watching) => Command,
    change: () => Promise<unknown>,
    counts: readonly [before: number, after: number]
  ) => {
    const written: Array<string> = []
    const changes = new Signal()
    const stop = new AbortController()
    const take = (text: string) => {
      written.push(...lines(text))
      changes.ring()
    }
    const input = async function* () {}
    const restore = Terminal.use({ out: take, error: take, input, width: () => null, isJson: true })
    try {
      const running = commandOf({ signal: stop.signal, everyMillis: 5 })(
        client,
        Output.make(true),
        makeOperations(connection)
      )
      await changes.until("the first state is shown", () => written.length >= counts[0])
      await change()
      await changes.until("the change is shown", () => written.length >= counts[1])
      stop.abort()
      assert.strictEqual(await running, 0)
    } finally {
      restore()
    }
    return written.map((line) => JSON.parse(line))
  }

  it("shows what changes, in a pipe (P1664)", async () => {
    const options = { ids: [], where: {}, limit: 10 }
    const count = (await client.agents.list().all()).length
    const seen = await until(
      (watching) => Listing.list(nounTable.agents, options, watching),
      () => client.agents.update(made.agents ?? "", { name: "Bob" }),
      [count, count + 1]
    )
    assert.deepInclude(seen.at(-1), { id: made.agents, name: "Bob" })
  })

  it("of calls is logs tail, which shows each call once as it comes (P1664)", async () => {
    const ids: Array<string> = []
    const change = async () => void ids.push(await call(), await call())
    const seen = await until((watching) => Tail.tail({ last: 1, where: {} }, watching), change, [1, 3])
    assert.sameMembers(
      seen.slice(1).map(({ id }) => id),
      ids
    )
  })
})

describe("trigger", () => {
  const type = "distill.run.failed"

  it("sends a test event of a type to what listens, and shows the response (P1682)", async ({ onTestFinished }) => {
    const asToken = (token: string) => {
      process.env["LIMBECK_TOKEN"] = token
    }
    onTestFinished(() => asToken(connection.token))
    const stop = new AbortController()
    const received: Array<string> = []
    let status = 204
    const receiving = createServer((request, response) => {
      received.push(String(request.headers["service-event-type"]))
      request.resume()
      response.writeHead(status).end()
    }).listen(0, "127.0.0.1")
    await once(receiving, "listening")
    onTestFinished(() => {
      stop.abort()
      receiving.closeAllConnections()
      receiving.close()
    })
    const { port } = receiving.address() as AddressInfo // It listens on a port.

    asToken(testToken)
    const none = await limbeck(["trigger", type])
    assert.deepStrictEqual([none.code, none.out], [1, ""])
    assert.match(none.error, /No enabled endpoint .+ limbeck webhooks listen/)

    const tester = { ...connection, token: testToken }
    const listens = new Signal()
    const output = { isJson: true, result: () => listens.ring(), note: () => {} }
    const options = { forwardTo: `http://127.0.0.1:${port}/`, types: ["distill.run.*"], signal: stop.signal }
    const listening = Listen.listen(options)(makeClient(tester), output, makeOperations(tester))
    const endpoints = () => makeClient(tester).webhookEndpoints.list().all()
    await listens.until("it listens", async () => (await endpoints()).length === 1)
    const [endpoint] = await endpoints()

    const [sent] = await done(["trigger", type])
    assert.deepInclude(sent, { endpoint: endpoint?.id, type, delivered: true, status_code: 204 })
    assert.deepStrictEqual(received, [type])
    assert.strictEqual((await limbeck(["trigger", "message.completed"])).code, 1)
    await done(["trigger", "message.completed", "--endpoint", endpoint?.id ?? ""])
    assert.deepStrictEqual(received, [type, "message.completed"])

    status = 500
    const refused = await limbeck(["trigger", type])
    assert.deepStrictEqual([refused.code, refused.error], [1, ""])
    assert.match(refused.out, /^distill\.run\.failed wh_\w+ -> 500 in \d+ ms\n$/)
    const unknown = await limbeck(["trigger", "distill.run.faild"])
    assert.deepStrictEqual([unknown.code, unknown.out], [1, ""])
    assert.include(unknown.error, "the nearest is distill.run.failed")
    asToken(connection.token)
    const live = await limbeck(["trigger", type, "--json"])
    assert.strictEqual(live.code, 1)
    assert.match(JSON.parse(live.error).error.message, /^type: .*test mode/)

    stop.abort()
    assert.strictEqual(await listening, 0)
  })
})

/** Runs last: it ends what the others list. */
describe("verbs of nouns", () => {
  const on = async (noun: NounName, words: ReadonlyArray<string>, given: Given = {}) => {
    const [verb = "", ...more] = words
    const [result] = await done([noun, verb, ...before(noun), made[noun] ?? "", ...more], given)
    return result
  }

  it("change, try and end what was made (P1663)", async () => {
    const input = JSON.stringify({ name: "Carl" })
    assert.strictEqual((await on("agents", ["update", "-"], { input })).name, "Carl")
    assert.isTrue((await on("sources", ["verify"])).ok)
    assert.isFalse((await on("endpoints", ["ping"])).delivered)
    assert.match((await on("endpoints", ["rotate"])).secret, /^whsec_/)
    assert.match((await on("reports", ["share"])).url, /^http/)
    await on("reports", ["unshare"])
    assert.strictEqual((await on("connectors", ["pull"])).connector, made.connectors)
    assert.strictEqual((await on("deployments", ["retire"])).status, "retired")
    const rotated = await on("tokens", ["rotate"])
    assert.match(rotated.secret, /^svc_live_/)
    await done(["tokens", "delete", rotated.id, "--yes"])
    assert.strictEqual((await done(["tokens", "show", rotated.id]))[0].status, "disabled")
    for (const noun of ["agents", "connectors", "endpoints", "sources"] as const) {
      await on(noun, ["delete", "--yes"])
      assert.strictEqual((await limbeck(["--json", ...shown(noun, made[noun] ?? "")])).code, 1)
    }
  })

  it("take ids from a pipe, and go on after one that fails (P1663)", async () => {
    const calls = await limbeck(["calls", "list"])
    const input = `nothing_here\n${calls.out}`
    const { code, error, out } = await limbeck(["calls", "delete", "-", "--yes", "--json"], { input })
    assert.deepStrictEqual([code, lines(out).length], [1, lines(calls.out).length])
    assert.strictEqual(JSON.parse(error).error.code, "not_found_error")
    assert.isEmpty(await done(["calls", "list"]))
  })

  it("say what the API refuses (P1663)", async () => {
    for (const words of [
      ["runs", "cancel"],
      ["runs", "retry"],
      ["deployments", "rollback"]
    ] as const) {
      const [noun, verb] = words
      const { code, error, out } = await limbeck([noun, verb, made[noun] ?? "", "--json"])
      assert.deepStrictEqual([code, out], [1, ""])
      assert.isString(JSON.parse(error).error.request_id)
    }
  })
})
