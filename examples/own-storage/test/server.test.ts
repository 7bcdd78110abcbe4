/** A server on this storage is killed between captured calls and an answering student. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { CapturedCall } from "@limbeck/api/CallsApi"
import type { DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { Event } from "@limbeck/api/EventsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { type Client, client, expectStatus, type ListOf } from "@limbeck/testing/http/Client"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import * as Sources from "@limbeck/testing/http/SourceSteps"
import { createRun, dryRun, endedRun, readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Programs from "../../../packages/workshop/programs/Programs.ts"

const main = await Programs.made(new URL("../src/main.ts", import.meta.url))
const token = "svc_live_0123456789abcdefghijklmnopqrstuv"
const questions = 60

const endings: Array<() => unknown> = []
afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

/** Killed, it has no moment to write anything. */
const start = async (folder: string) => {
  const server = spawn(process.execPath, ["--conditions=@limbeck/source", main], {
    env: {
      PATH: process.env["PATH"],
      DATA_DIR: folder,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      LIVE_TOKEN: token,
      EGRESS_ALLOW: "127.0.0.0/8",
      PORT: "0"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(server, "exit")
  const kill = async () => {
    server.kill("SIGKILL")
    await ended
  }
  endings.push(kill)
  const [line] = await Promise.race([once(createInterface({ input: server.stdout }), "line"), ended])
  return { caller: client(JSON.parse(line).url, token), kill }
}

const ask = (caller: Client, model: string, question: number) =>
  caller.post<{ readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }> }>(
    "/v1/proxy/chat/completions",
    { model, messages: [{ role: "user", content: `ticket ${question} about ${question % 3}` }] }
  )

const labelOf = (text: string) => `label${text.at(-1)}`

const callsOf = (caller: Client, count: number) =>
  readUntil(
    () => caller.get<ListOf<typeof CapturedCall.Type>>("/v1/distill/calls?limit=100"),
    ({ data }) => data.length >= count
  )

const eventsOf = async (caller: Client) =>
  expectStatus(await caller.get<ListOf<typeof Event.Type>>("/v1/events?limit=100"), 200).data.toReversed()

/** What was answered with before, by path. */
const textsOf = async (caller: Client, paths: ReadonlyArray<string>) => {
  const texts = new Map<string, string>()
  for (const path of paths) {
    const answer = await caller.get(path)
    expectStatus(answer, 200)
    texts.set(path, answer.text)
  }
  return texts
}

describe("a server on SQLite", () => {
  const models = new Models()
  let folder: string
  let running: Awaited<ReturnType<typeof start>>
  let version: typeof DatasetVersion.Type
  let run: string
  /** The name of the source. */
  let source: string

  beforeAll(async () => {
    await models.open()
    endings.push(() => models.close())
    folder = await temporaryFolder((end) => endings.push(end))
    running = await start(folder)
  })

  it("captures calls, and makes a version of them", async () => {
    const { caller } = running
    const base_url = models.speaking(({ messages }) => labelOf(messages.at(-1)?.content ?? ""))
    source = (await Sources.create(caller, { base_url, default: true })).name
    for (let question = 0; question < questions; question++) expectStatus(await ask(caller, "gpt", question), 200)
    await callsOf(caller, questions)
    const dataset = expectStatus(await caller.post<{ readonly id: string }>("/v1/distill/datasets", { name: "t" }), 201)
    const made = await caller.post<typeof DatasetVersion.Type>(`/v1/distill/datasets/${dataset.id}/versions`, {
      from: { calls: { source } },
      holdout_fraction: 0.3
    })
    version = await readUntil(
      () => caller.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${expectStatus(made, 201).id}`),
      ({ status }) => status !== "building"
    )
    assert.deepInclude(version, { status: "ready", rows: questions })
  })

  it("has everything after a kill while a run is under way, and ends the run (P387)", async () => {
    const stages = ["sft", "publish"].map((kind) => ({ kind, config: {} }))
    const recipe = { student_model: Deployments.builtin, stages, rewards: [] }
    const body = dryRun(version.id, { recipe, dry_run: false })
    run = expectStatus(await createRun(running.caller, body), 201).id
    const paths = [
      "/v1/sources",
      "/v1/distill/calls?limit=100",
      `/v1/distill/dataset_versions/${version.id}`,
      `/v1/distill/dataset_versions/${version.id}/rows?limit=100`
    ]
    const before = await textsOf(running.caller, paths)
    const told = await eventsOf(running.caller)
    await running.kill()

    running = await start(folder)
    assert.deepStrictEqual(await textsOf(running.caller, paths), before)
    assert.deepInclude(await endedRun(running.caller, run), { status: "succeeded" })
    const events = await eventsOf(running.caller)
    assert.deepStrictEqual(events.slice(0, told.length), told)
    assert.strictEqual(events.filter(({ type }) => type === "distill.run.succeeded").length, 1)
  })

  it("serves the student, and captures what it answers", async () => {
    const { caller } = running
    const { student_model } = expectStatus(await caller.get<typeof Run.Type>(`/v1/distill/runs/${run}`), 200)
    const fallback = { source, model: "gpt" }
    const body = { alias: "desk", student_model, mode: "active", fallback }
    const { error, status } = await Deployments.deployAndWait(caller, body)
    assert.strictEqual(status, "ready", error?.message)
    const answer = await ask(caller, "svc:desk", questions)
    assert.strictEqual(answer.headers.get("x-service-served-by"), "student", answer.text)
    assert.include(answer.text, "label0")
    const { data } = await callsOf(caller, questions + 1)
    assert.strictEqual(data[0]?.served_by, "student")
  })
})
