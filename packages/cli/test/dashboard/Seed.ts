// A client in plain Node.
// @effect-diagnostics globalFetch:off globalTimers:off
/** A server with something of everything; for tests named by texts that would be scripts if they could. */
import { type Client, makeClient } from "@limbeck/client"
import { eventually } from "@limbeck/testing/Eventually"
import { key, type Models } from "@limbeck/testing/upstream/Models"
import * as Servers from "../Server.ts"
import { addressesVisited, type VisitedPages } from "./Pages.ts"

/** Each sets `window.hacked` if interpreted as markup or script. */
const does = "window.hacked=1"
const shapes: ReadonlyArray<string> = [
  `<script>${does}</script>`,
  `</script><script>${does}</script>`,
  `<img src=x onerror="${does}">`,
  `<svg onload=${does}>`,
  `"><svg/onload=${does}>`,
  `'"--></style></title><body onload=${does}>`,
  `javascript:${does}//`,
  `<a href="javascript:${does}">click</a>`,
  `<iframe srcdoc="<script>parent.${does}</script>">`,
  `<math><mi xlink:href="javascript:${does}">`,
  `<details open ontoggle=${does}>`,
  `<input autofocus onfocus=${does}>`,
  `<video><source onerror=${does}>`,
  `{{constructor.constructor('${does}')()}}`,
  `\${${does}}`,
  `<template><script>${does}</script></template>`,
  `<object data="javascript:${does}">`,
  `<form action="javascript:${does}"><button>go</button></form>`,
  `<style>@import 'javascript:${does}';</style>`,
  `\u202e<script>${does}</script>\u2028\u0000`
]

/** Two hundred, no two the same. */
export const corpus: ReadonlyArray<string> = Array.from(
  { length: 200 },
  (_, number) => `${number} ${shapes[number % shapes.length]}`
)

/** The body of a receiver's answer. */
export const answered = corpus[10] ?? ""

export interface SeedData {
  /** Every page, with the ids of the seeded resources. */
  readonly places: ReadonlyArray<string>
  /** Texts of strangers, with the pages that must show them verbatim. */
  readonly said: ReadonlyArray<readonly [place: string, text: string]>
  /** The URL of a report, for strangers. */
  readonly shared: string
}

const rowsOf = (texts: ReadonlyArray<string>) =>
  Array.from({ length: 240 }, (_, number) => {
    const label = texts[number % 4] ?? ""
    // Some wrong labels, so that a report has examples.
    const completion = number % 12 === 5 ? (texts[(number + 1) % 4] ?? "") : label
    return JSON.stringify({
      messages: [{ role: "user", content: `${label} ${texts[number % texts.length]} ${number}` }],
      completion
    })
  }).join("\n")

/** A rehearsal and its live run, on a version of these texts. */
const train = async (client: Client, texts: ReadonlyArray<string>) => {
  const [name = ""] = texts
  const upload = await client.uploads.send(rowsOf(texts), { filename: `${name.slice(0, 60)}.jsonl` })
  await client.uploads.wait(upload.id)
  const dataset = await client.datasets.create({ name: name.slice(0, 60), description: name })
  const version = await client.datasetVersions.create(dataset.id, { from: { upload: upload.id } })
  await client.datasetVersions.wait(version.id)
  const { compute, recipe } = await propose(client, version.id)
  const plan = { dataset_version: version.id, recipe, compute, budget: { max_cost_usd: 5 }, name: name.slice(0, 60) }
  const rehearsal = await client.runs.create({ ...plan, dry_run: true })
  const { plan_hash } = await client.runs.wait(rehearsal.id)
  const live = await client.runs.create({ ...plan, dry_run: false, validated_dry_run: rehearsal.id, plan_hash })
  return { upload, dataset, version, rehearsal, run: await client.runs.wait(live.id, { waitMillis: 300_000 }) }
}

/** The recipe and the compute that the server proposes for a version. */
export const propose = async (client: Client, version: string) => {
  const { compute, rewards, stages, student_model } = await client.recipes.propose({
    dataset_version: version,
    objective: "cost",
    max_cost_usd: 5
  })
  return { compute: { profile: compute.profile }, recipe: { student_model, stages, rewards } }
}

/** One call through the proxy. */
const askOnce = async (
  origin: string,
  model: string,
  content: string,
  headers: Readonly<Record<string, string>> = {}
) => {
  const answer = await fetch(`${origin}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${Servers.liveToken}`,
      "content-type": "application/json",
      "x-service-tags": "tag",
      ...headers
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] })
  })
  await answer.arrayBuffer()
}

/** Calls through the proxy, each with a text of its own; captured a moment later. */
const ask = async (origin: string, texts: ReadonlyArray<string>, client: Client) => {
  for (const content of texts) await askOnce(origin, "gpt", content)
  return eventually("the calls are stored", async () => {
    const { data } = await client.calls.list({ limit: 100 }).page()
    return data.length >= Math.min(100, texts.length) && data[0]?.id
  })
}

/** A model that refuses with a text, and a call to it that says texts in its headers. */
const refuse = async (origin: string, models: Models, client: Client, said: string, header: string) => {
  const base_url = models.base((_request, response) =>
    response.writeHead(422, { "content-type": "text/html", "x-request-id": header }).end(said)
  )
  await client.sources.create({ name: "refuses", kind: "byok", base_url, api_key: key, models: ["no"] })
  await askOnce(origin, "no", said, { "x-service-source": "refuses", "x-service-external-id": header })
  return eventually("the refused call is stored", async () => {
    const { data } = await client.calls.list({ outcome: "failed", limit: 1 }).page()
    return data[0]?.id
  })
}

/** A receiver with a fixed response text, and its failed delivery, for an upload of invalid lines. */
const answer = async (client: Client, url: string, description: string, lines: ReadonlyArray<string>) => {
  const endpoint = await client.webhookEndpoints.create({ url, description, enabled_events: ["*"] })
  const upload = await client.uploads.send(lines.join("\n"), { filename: description })
  await client.uploads.wait(upload.id)
  const delivery = await eventually("a delivery has failed", async () => {
    const { data } = await client.deliveries.list(endpoint.id).page()
    return data.find(({ attempt_count }) => attempt_count > 0)
  })
  return { endpoint, delivery, upload }
}

/** A connector to a file whose only line is no row, and its pull. */
const pull = async (client: Client, name: string, url: string) => {
  const config = { url, auth_header: "X-Key: kept" }
  const connector = await client.connectors.create({ name, kind: "http_jsonl", config })
  const { id } = await client.pulls.create(connector.id)
  return { connector, pull: await client.pulls.wait(id) }
}

/** One of each resource, named and filled with the texts. `receiver` answers deliveries with `answered`. */
export const seed = async (
  origin: string,
  models: Models,
  receiver: string,
  texts: ReadonlyArray<string> = corpus
): Promise<SeedData> => {
  const client = makeClient({ baseUrl: origin, token: Servers.liveToken })
  const name = (number: number) => (texts[number] ?? "").slice(0, 60)
  await client.sources.create({
    name: "teacher",
    kind: "byok",
    base_url: models.speaking(texts[2] ?? ""),
    api_key: key,
    default: true,
    models: ["gpt"]
  })
  const call = await ask(origin, texts.slice(0, 60), client)
  await client.feedback.create({ call_id: call, name: "review", value: 1, comment: name(3) })
  await client.tokens.create({ name: name(4), scopes: ["distill:read"] })
  const made = await train(client, texts)
  const deployment = await client.deployments.create({
    alias: "sorter",
    student_model: made.run.student_model ?? "",
    mode: "shadow",
    fallback: { source: "teacher", model: "gpt" }
  })
  const registered = await client.studentModels.create({
    name: name(11),
    base_model: name(12),
    endpoint: { base_url: models.speaking("a"), model: name(13), api_key: key, input_per_million: 0.2 }
  })
  const model = await client.uploads.send(`GGUF ${texts[14]}`, { filename: name(14), format: "student_model" })
  await client.uploads.wait(model.id)
  const refused = await refuse(origin, models, client, texts[8] ?? "", texts[9] ?? "")
  const url = `${receiver}/?${encodeURIComponent(name(5))}`
  const { delivery, endpoint, upload: bad } = await answer(client, url, name(6), texts.slice(0, 20))
  const pulled = await pull(client, name(15), url)
  const { url: shared } = await client.reports.share(made.run.report ?? "")
  const visited: VisitedPages = {
    home: [{}],
    calls: [{}],
    call: [{ id: call }, { id: refused }],
    data: [{}],
    upload: [made.upload, bad, model],
    dataset: [made.dataset],
    version: [made.version],
    compareVersions: [{ left: made.version.id, right: made.version.id }],
    connector: [pulled.connector],
    pull: [pulled.pull],
    review: [await client.reviewQueues.create({ dataset_version: made.version.id, of: "holdout" })],
    runs: [{}],
    newRun: [{ version: made.version.id }],
    compare: [{ left: made.rehearsal.id, right: made.run.id }],
    run: [made.rehearsal, made.run],
    reports: [{}],
    report: [{ id: made.run.report ?? "" }],
    students: [{}],
    student: [{ id: made.run.student_model ?? "" }, registered],
    deployments: [{}],
    deployment: [deployment],
    playground: [{}],
    events: [{}],
    event: [{ id: delivery.event_id }],
    webhooks: [{}],
    signatureTester: [{}],
    endpoint: [{ endpoint: endpoint.id }],
    delivery: [{ endpoint: endpoint.id, delivery: delivery.id }],
    billing: [{}],
    sources: [{}],
    tokens: [{}],
    workspace: [{}],
    assistant: [{}],
    assistantConversation: [{ id: "none" }]
  }
  return {
    shared,
    said: [
      [`/calls/${refused}`, texts[8] ?? ""],
      [`/calls/${refused}`, texts[9] ?? ""],
      [`/webhooks/${endpoint.id}/${delivery.id}`, answered]
    ],
    places: [...addressesVisited(visited), "/nowhere"]
  }
}
