// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** Decisions in the dashboard: a call, a version, a student, a report and a deployment, question by question. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Generator from "@limbeck/testing/random/Generator"
import { decisionModel } from "../DecisionModel.ts"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const subjects = ["<b>login</b>", "parcel", "refund"]
const moods = ["thank you", "this is a scandal"]
const topic = { type: "choice", name: "topic", instructions: "What is it about?" }
const choices = subjects.map((value) => ({ value }))
const angry = { type: "predicate", name: "angry <i>", instructions: "The customer is angry." }
const questions = [{ ...topic, choices }, angry]

const inputOf = (subject: number, mood: number, number: number) =>
  `my ${subjects[subject]} number ${number}, ${moods[mood]}`

/** As a teacher answered them, one pair in a line. */
const pairs = () => {
  const { below } = Generator.make(5)
  return Array.from({ length: 1_400 }, () => {
    const [subject, mood] = [below(3), below(2)]
    const probabilities = subjects.map((value, at) => ({ value, probability: at === subject ? 0.9 : 0.05 }))
    const answers = [
      { type: "choice", name: topic.name, choice: subjects[subject], confidence: 0.85, probabilities },
      { type: "predicate", name: angry.name, probability: mood === 1 ? 0.9 : 0.1 }
    ]
    const request = { model: "teacher", input: inputOf(subject, mood, below(100_000)), questions }
    return JSON.stringify({ request, response: { model: "teacher", answers } })
  }).join("\n")
}

const train = async (client: Client) => {
  const upload = await client.uploads.send(pairs(), { filename: "pairs.jsonl", format: "decisions_jsonl" })
  await client.uploads.wait(upload.id)
  const dataset = await client.datasets.create({ name: "desk" })
  const version = await client.datasetVersions.create(dataset.id, { from: { upload: upload.id } })
  await client.datasetVersions.wait(version.id)
  const proposal = await client.recipes.propose({ dataset_version: version.id, objective: "cost", max_cost_usd: 5 })
  const { rewards, stages, student_model } = proposal
  const run = await client.runs.create({
    dataset_version: version.id,
    recipe: { student_model, stages, rewards },
    budget: { max_cost_usd: 5 },
    dry_run: false
  })
  return { version: version.id, run: await client.runs.wait(run.id, { waitMillis: 300_000 }) }
}

describe.skipIf(hindrance !== undefined)("decisions in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const atEnd = fromHooks(afterAll)
  let server: Servers.Server
  let client: Client
  let places: Readonly<Record<"call" | "version" | "student" | "report" | "deployment", string>>

  beforeAll(async () => {
    const environment = { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" }
    server = await new Servers.Server(atEnd, environment).start()
    client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const { base_url } = await decisionModel(atEnd)
    const source = { name: "decider", kind: "byok" as const, base_url, api_key: "sk", models: ["gpt"], default: true }
    await client.sources.create(source)
    const { run, version } = await train(client)
    const { id } = await client.deployments.create({
      alias: "desk",
      student_model: run.student_model ?? "",
      mode: "active",
      fallback: { source: "decider", model: "gpt" },
      guard: { verify_percent: 100 }
    })
    await eventually("it is ready", async () => (await client.deployments.get(id)).status === "ready")
    const answer = await fetch(`${server.origin}/v1/proxy/decisions`, {
      method: "POST",
      headers: { authorization: `Bearer ${Servers.liveToken}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc:desk", input: inputOf(2, 1, 7), questions })
    })
    await answer.arrayBuffer()
    const call = answer.headers.get("x-service-call-id") ?? ""
    await eventually("it is compared", async () => (await client.deployments.get(id)).agreement !== null)
    places = {
      call: `/calls/${call}`,
      version: `/data/versions/${version}`,
      student: `/students/${run.student_model}`,
      report: `/reports/${run.report}`,
      deployment: `/deployments/${id}`
    }
  })

  it("are shown with their distributions, and without a script or a fault for readers who cannot see (P1371)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, places.call)
    const bars = page.getByRole("list", { name: "Probabilities of topic" }).getByRole("listitem")
    await bars.first().waitFor()
    assert.match((await bars.first().textContent()) ?? "", /^refund/)
    assert.strictEqual(await bars.count(), 3)
    const levels = await page.getByRole("list", { name: "Probabilities of angry <i>" }).textContent()
    assert.match(levels ?? "", /^false.*true/)
    assert.include((await page.getByText(", answered by the student").first().textContent()) ?? "", "choice")
    assert.deepStrictEqual(await page.evaluate(() => document.querySelectorAll("main b, main i").length), 0)
    for (const place of Object.values(places)) {
      await look(page, place)
      await page.getByText("topic", { exact: true }).first().waitFor()
      assert.deepStrictEqual(await violations(page), [], place)
    }
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("have a table by question of version, student, report and deployment, no wider than a phone (P1372)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.liveToken, { viewport: { width: 390, height: 844 } })
    const rowOf = async (place: string, table: string) => {
      await look(page, place)
      const row = page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: "topic" })
      await row.waitFor()
      assert.deepStrictEqual(await tooWide(page), [], place)
      return (await row.textContent()) ?? ""
    }
    assert.include(await rowOf(places.version, "What its rows are asked"), "What is it about?")
    assert.match(await rowOf(places.student, "What it answers"), /topicchoice30\.\d{3}/)
    assert.match(await rowOf(places.report, "Agreement with the teacher, over all rows"), /\d+\.\d %/)
    const watched = await rowOf(places.deployment, "Who answers each question")
    assert.match(watched, /^topic11 \(100 %\)1/)
    assert.match(watched, /holds$/)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
