/** The way of the loop by commands alone: from a source and a log to a student behind an alias. */

import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { gzip, tarOf } from "@limbeck/testing/fixtures/Archives"
import { Signal } from "@limbeck/testing/Signal"
import { runHere } from "./InProcess.ts"
import { liveToken, quiet, runToEnd, Server, type ServerResult, testToken } from "./Server.ts"

const server = new Server(afterAll, { ...quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
beforeAll(() => server.start())

const environment = (token: string) => ({ LIMBECK_URL: server.origin, LIMBECK_TOKEN: token })
const limbeck = (token: string, ...command: ReadonlyArray<string>) => runHere(environment(token), command)

/** What a command told programs. */
const told = ({ code, stderr, stdout }: ServerResult) => {
  assert.deepStrictEqual([code, stderr], [0, []])
  return stdout.map((line) => JSON.parse(line))
}

const csv = ["prompt,completion"]
  .concat(
    Array.from(
      { length: 240 },
      (_, index) => `"ticket ${index}, about ${["money", "parcels"][index % 2]}",${index % 2 ? "delivery" : "billing"}`
    )
  )
  .join("\n")

describe.concurrent("the commands of the loop", () => {
  it("go from a log in CSV to a student behind an alias, and tell programs in JSON (P262)", async ({
    onTestFinished
  }) => {
    const file = path.join(await temporaryFolder(onTestFinished), "tickets.csv")
    await fs.writeFile(file, csv)
    const imported = told(await limbeck(liveToken, "import", file, "--dataset", "tickets", "--json"))
    assert.deepStrictEqual(
      imported.map((value) => value.rows ?? null),
      [null, 240, 240]
    )
    const version = imported[2].id
    const [proposal] = told(await limbeck(liveToken, "propose", version, "--max-cost", "1", "--json"))
    assert.strictEqual(proposal.student_model, "builtin/text-classifier")
    const ran = await limbeck(liveToken, "run", version, "--max-cost", "1", "--name", "tickets", "--live")
    assert.deepStrictEqual([ran.code, ran.stderr], [0, []])
    const shown = ran.stdout.join("\n")
    assert.match(shown, /^run_\w+ rehearses\n/)
    assert.match(shown, /\nrun_\w+ runs live\n/)
    const [, student = ""] = /\nstudent (stu_\w+), report rpt_\w+$/.exec(shown) ?? []
    const deployed = await limbeck(liveToken, "deploy", student, "--alias", "tickets", "--mode", "active")
    assert.deepStrictEqual([deployed.code, deployed.stderr], [0, []])
    assert.match(deployed.stdout.join(), /^dep_\w+ ready, active: svc:tickets$/)

    const rehearsed = await limbeck(liveToken, "retrain", "tickets")
    assert.deepStrictEqual([rehearsed.code, rehearsed.stderr], [0, []])
    assert.match(
      rehearsed.stdout.join("\n"),
      /^dep_\w+ stu_\w+: 0 calls, .*\nwith the 240 rows of dsv_\w+; at most \$1; /
    )
    assert.match(rehearsed.stdout.join("\n"), /\nrun_\w+ rehearses\n/)
    const retrained = await limbeck(liveToken, "retrain", "tickets", "--live", "--max-cost", "2")
    assert.deepStrictEqual([retrained.code, retrained.stderr], [0, []])
    const [, second = ""] = /\nstudent (stu_\w+), in shadow of svc:tickets$/.exec(retrained.stdout.join("\n")) ?? []
    const client = makeClient({ baseUrl: server.origin, token: liveToken })
    await eventually("the student is in shadow", async () => {
      const { data } = await client.deployments.list({ alias: "tickets", mode: "shadow", status: "ready" }).page()
      return data.some(({ student_model }) => student_model === second)
    })
    const nobody = await limbeck(liveToken, "retrain", "unheard-of")
    assert.deepStrictEqual([nobody.code, nobody.stderr], [1, ["No deployment is ready under unheard-of"]])
  })

  it("import sends nothing of a log with entries that are no rows, and names them (P260)", async ({
    onTestFinished
  }) => {
    const file = path.join(await temporaryFolder(onTestFinished), "log.jsonl")
    await fs.writeFile(file, '{"prompt":"a","completion":"b"}\n{"prompt":"a"}\n')
    const { code, stderr, stdout } = await limbeck(testToken, "import", file)
    assert.deepStrictEqual([code, stdout], [1, []])
    assert.match(stderr.join("\n"), /^Nothing was sent of .*:\nline 2: it has neither/)
  })

  it("race asks for candidates as source/model (P1127)", async () => {
    const wrong = await limbeck(testToken, "race", "dsv_none", "--candidates", "openai", "--max-cost", "1")
    assert.deepStrictEqual([wrong.code, wrong.stdout], [1, []])
    assert.match(wrong.stderr.join("\n"), /openai is no source\/model/)
  })

  it("make, list, rotate and revoke tokens (P263)", async () => {
    const made = told(
      await limbeck(testToken, "token", "create", "--name", "app", "--scopes", "proxy:write,tokens:read", "--json")
    )
    const { id, secret } = made[0]
    assert.deepStrictEqual([made[0].environment, made[0].scopes], ["test", ["proxy:write", "tokens:read"]])
    assert.isNull(made[0].limits)
    const limits = ["--models", "gpt-*,mini", "--requests-per-minute", "60", "--max-cost-usd-per-day", "2.5", "--json"]
    const [limited] = told(
      await limbeck(testToken, "token", "create", "--name", "limited", "--scopes", "proxy:write", ...limits)
    )
    assert.deepStrictEqual(limited.limits, {
      models: ["gpt-*", "mini"],
      requests_per_minute: 60,
      max_cost_usd_per_day: 2.5
    })
    const listed = await limbeck(secret, "token", "list")
    assert.include(listed.stdout.join("\n"), `${id} test active proxy:write,tokens:read app`)
    const [rotated] = told(await limbeck(testToken, "token", "rotate", id, "--json"))
    assert.strictEqual((await limbeck(secret, "token", "list")).code, 1)
    assert.deepStrictEqual((await limbeck(testToken, "token", "revoke", rotated.id)).stdout, [`${rotated.id} disabled`])
    const refused = await limbeck(rotated.secret, "token", "list", "--json")
    assert.strictEqual(JSON.parse(refused.stderr.join()).error.code, "authentication_error")
  })

  it("add a source with a key from the environment, and verify it (P263)", async ({ onTestFinished }) => {
    const upstream = createServer((request, response) => {
      const isKnown = request.headers.authorization === "Bearer sk-key-that-is-good"
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" })
      response.end(JSON.stringify({ object: "list", data: [{ id: "m", object: "model" }] }))
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void upstream.close())
    await once(upstream, "listening")
    const { port } = upstream.address() as AddressInfo // It listens on a port.
    const add = (name: string, key: string) =>
      runHere({ ...environment(testToken), MODEL_KEY: key }, [
        ...["source", "add", name, "--base-url", `http://127.0.0.1:${port}/v1`, "--key-from", "MODEL_KEY", "--json"]
      ])
    const [source] = told(await add("good", "sk-key-that-is-good"))
    assert.strictEqual(source.api_key_last4, "good")
    assert.match(
      (await limbeck(testToken, "source", "verify", "good")).stdout.join(),
      /^good is good: 1 models, \d+ ms$/
    )
    told(await add("bad", "sk-wrong"))
    const bad = await limbeck(testToken, "source", "verify", "bad")
    assert.deepStrictEqual([bad.code, bad.stdout], [1, ["bad is not good: unauthorized, HTTP 401"]])
    const none = await limbeck(
      testToken,
      "source",
      "add",
      "x",
      "--base-url",
      "https://a.example/v1",
      "--key-from",
      "NO_KEY"
    )
    assert.deepStrictEqual([none.code, none.stderr], [1, ["--key-from: NO_KEY is not set"]])
    const live = await limbeck(testToken, "run", "dsv_none", "--max-cost", "1", "--live")
    assert.deepStrictEqual([live.code, live.stdout], [1, []])
    assert.match(live.stderr.join(), /^--live: LIMBECK_TOKEN is a test token/)
  })

  it("register a student that was trained elsewhere, by its file or by where it answers, and list it (P263, P376)", async ({
    onTestFinished
  }) => {
    const file = path.join(await temporaryFolder(onTestFinished), "desk.tar.gz")
    await fs.writeFile(file, gzip(tarOf([{ path: "config.json", content: "{}" }])))
    const register = (...options: ReadonlyArray<string>) =>
      limbeck(liveToken, "student", "register", "desk", "--base-model", "tiny", ...options)
    const [upload, made] = told(await register("--file", file, "--json"))
    assert.deepInclude(made, { origin: "external", base: "tiny", name: "desk" })
    assert.strictEqual(made.artifact.format, "tar.gz")
    const [again] = told(await register("--file", file, "--resume", upload.upload, "--json"))
    assert.deepStrictEqual(again.artifact, made.artifact)
    const there = ["--base-url", "https://students.example/v1"]
    const [asked] = told(await register(...there, "--model", "ft:1", "--json"))
    assert.strictEqual(asked.endpoint.model, "ft:1")
    const listed = (await limbeck(liveToken, "student", "list")).stdout
    assert.include(listed, `${made.id} external tiny desk not evaluated`)
    assert.match((await limbeck(testToken, "student", "list")).stdout.join(), /^There is no student yet/)

    assert.deepStrictEqual((await register(...there)).stderr, ["--base-url and --model go together"])
    assert.strictEqual((await register("--file", file, ...there, "--model", "ft:1")).code, 1)
    await fs.writeFile(file, "PK")
    const bad = await register("--file", file)
    assert.strictEqual(bad.code, 1)
    assert.include(bad.stderr.join(), "neither a GGUF file nor a whole tar")
  })

  it("send a delivery again, or all since a time (P263)", async ({ onTestFinished }) => {
    const client = makeClient({ baseUrl: server.origin, token: testToken })
    const statuses = [500, 204]
    const received: Array<unknown> = []
    const changes = new Signal()
    const receiver = createServer((request, response) => {
      received.push(request.headers["service-delivery-id"])
      changes.ring()
      response.writeHead(statuses.shift() ?? 204).end()
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void receiver.close())
    await once(receiver, "listening")
    const { port } = receiver.address() as AddressInfo // It listens on a port.
    const url = `http://127.0.0.1:${port}/`
    const { id } = await client.webhookEndpoints.create({ url, enabled_events: ["distill.upload.succeeded"] })
    const { id: upload } = await client.uploads.send('{"messages":[{"role":"user","content":"a"}],"completion":"b"}\n')
    await client.uploads.wait(upload)
    await changes.until("it is refused", () => received.length === 1)
    // A disabled endpoint gets no second attempt.
    await client.webhookEndpoints.update(id, { status: "disabled" })
    const delivery = await eventually("it is given up", async () => {
      const [first] = await client.deliveries.list(id).all()
      return first?.status === "dead_lettered" ? first : undefined
    })
    await client.webhookEndpoints.update(id, { status: "enabled" })
    const again = await limbeck(testToken, "webhooks", "resend", id, delivery.id)
    assert.deepStrictEqual([again.code, again.stderr], [0, []])
    assert.match(again.stdout.join(), /^del_\w+ \w+: distill\.upload\.succeeded evt_\w+$/)
    await changes.until("it is delivered", () => received.length === 2)
    const since = await limbeck(testToken, "webhooks", "resend", id, "--since", "2026-01-01T00:00:00.000Z")
    assert.deepStrictEqual(since.stdout, ["0 deliveries are on their way again"])
    const unclear = await limbeck(testToken, "webhooks", "resend", id)
    assert.deepStrictEqual([unclear.code, unclear.stderr], [1, ["Name a delivery, or --since a time: one of them"]])
  })

  it("complete themselves in shells (P263)", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await runToEnd({}, ["--completions", shell])
      assert.strictEqual(code, 0)
      assert.include(stdout.join("\n"), "resend")
    }
  })
})
