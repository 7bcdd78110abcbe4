// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** A server after a week's work: sorted tickets, a trained and deployed student, and hooks with one failing. */
import * as fs from "node:fs/promises"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { type Client, makeClient } from "@limbeck/client"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { type Certificate, selfSigned } from "@limbeck/testing/fixtures/Certificate"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { addressesOf, addressOf, type EachPage } from "../../cli/test/dashboard/Pages.ts"
import * as Servers from "../../cli/test/Server.ts"
import { Postgres } from "../faults/Postgres.ts"
import * as Tickets from "./Tickets.ts"

export interface World {
  readonly origin: string
  /** Signs an owner in, once each. */
  readonly link: () => Promise<string>
  /** Each page by the name of its picture. */
  readonly places: Readonly<Record<string, string>>
  /** The report as strangers read it. */
  readonly shared: string
}

const askAll = async (origin: string, asked: string, tickets: ReadonlyArray<Tickets.Ticket>, tag: string) => {
  const waiting = [...tickets]
  const one = async () => {
    for (let ticket = waiting.pop(); ticket !== undefined; ticket = waiting.pop()) {
      const answer = await fetch(`${origin}/v1/proxy/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${Servers.liveToken}`,
          "content-type": "application/json",
          "x-service-tags": tag
        },
        body: JSON.stringify({ model: asked, messages: ticket.messages })
      })
      if (!answer.ok) throw new Error(await answer.text())
    }
  }
  await Promise.all(Array.from({ length: 24 }, one))
}

const countCalls = async (client: Client, tag: string): Promise<number> => {
  let count = 0
  for await (const _ of client.calls.list({ tag, limit: 100 })) count++
  return count
}

/** Answers as their owners programmed them; whoever reads gets a file of rows. */
const receiver = async (atEnd: AtEnd, certificate: Certificate): Promise<string> => {
  const rows = Tickets.read("later").map((row) => JSON.stringify(row))
  const server = createServer(certificate, (request, response) => {
    request.resume()
    if (request.method === "GET") return response.end(rows.join("\n"))
    const isDown = request.url === "/crm"
    response.writeHead(isDown ? 503 : 200, { "content-type": "text/plain" })
    response.end(isDown ? "The CRM is being updated, come back later" : "ok")
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
}

const train = async (client: Client, dataset_version: string) => {
  const proposal = await client.recipes.propose({ dataset_version, objective: "cost", max_cost_usd: 5 })
  const { compute, rewards, stages, student_model } = proposal
  const plan = {
    dataset_version,
    recipe: { student_model, stages, rewards },
    compute: { profile: compute.profile },
    budget: { max_cost_usd: 5 },
    name: "sort tickets"
  }
  const rehearsal = await client.runs.create({ ...plan, dry_run: true })
  const { plan_hash } = await client.runs.wait(rehearsal.id)
  const live = { ...plan, dry_run: false, validated_dry_run: rehearsal.id, plan_hash, student_model_name: "sorter" }
  const run = await client.runs.wait((await client.runs.create(live)).id, { waitMillis: 300_000 })
  if (run.status !== "succeeded") throw new Error(JSON.stringify(run.error))
  return { rehearsal, run }
}

const deploy = async (
  client: Client,
  origin: string,
  student_model: string,
  tickets: ReadonlyArray<Tickets.Ticket>
) => {
  const fallback = { source: "teacher", model: Tickets.model.id, below_confidence: 0.6 }
  const guard = { verify_percent: 40 }
  const made = await client.deployments.create({ alias: "desk", student_model, mode: "shadow", fallback, guard })
  const figures = async () => (await client.deployments.get(made.id)).figures
  await eventually("it is ready", async () => (await client.deployments.get(made.id)).status === "ready")
  await askAll(origin, "svc:desk", tickets, "shadow")
  await eventually("the shadow", async () => (await figures()).compared >= tickets.length)
  await client.deployments.update(made.id, { mode: "active" })
  await askAll(origin, "svc:desk", tickets, "desk")
  await eventually("the calls", async () => (await countCalls(client, "desk")) >= tickets.length)
  await client.deployments.create({ alias: "desk-next", student_model, mode: "shadow", fallback })
  return made.id
}

const fill = async (client: Client, origin: string, models: Models, hooks: string) => {
  const [tickets, later] = [Tickets.read("tickets"), Tickets.read("later")]
  await client.sources.create({
    name: "teacher",
    kind: "byok",
    base_url: Tickets.teacher(models, [...tickets, ...later]),
    api_key: key,
    default: true,
    models: [Tickets.model]
  })
  const well = { url: `${hooks}/tickets`, description: "the help desk", enabled_events: ["distill.*"] }
  await client.webhookEndpoints.create(well)
  const ill = { url: `${hooks}/crm`, description: "the CRM", enabled_events: ["*"] }
  const endpoint = await client.webhookEndpoints.create(ill)
  const upload = await client.uploads.send(later.map((row) => JSON.stringify(row)).join("\n"), {
    filename: "tickets-2026-10.jsonl"
  })
  await askAll(origin, Tickets.model.id, tickets, "tickets")
  await eventually("the calls", async () => (await countCalls(client, "tickets")) >= tickets.length)
  const [call] = (await client.calls.list({ tag: "tickets", limit: 1 }).page()).data
  await client.feedback.create({ call_id: call?.id ?? "", name: "review", value: 1, comment: "the right desk" })
  const description = "Tickets of the help desk, with the desk that the large model sent them to"
  const dataset = await client.datasets.create({ name: "tickets", description })
  const version = await client.datasetVersions.create(dataset.id, { from: { calls: { tags: ["tickets"] } } })
  await client.datasetVersions.wait(version.id)
  const cleaned = await client.datasetVersions.create(dataset.id, {
    from: { calls: { tags: ["tickets"] } },
    clean: "drop"
  })
  await client.datasetVersions.wait(cleaned.id)
  const { rehearsal, run } = await train(client, version.id)
  const registered = await client.studentModels.create({
    name: "tuned at the provider",
    base_model: "gpt-4.1-nano",
    endpoint: {
      base_url: "https://api.example.com/v1",
      model: "ft:gpt-4.1-nano:desk",
      input_per_million: 0.2,
      output_per_million: 0.8
    }
  })
  const deployment = await deploy(client, origin, run.student_model ?? "", later)
  await client.tokens.create({ name: "help desk", scopes: ["proxy:write"] })
  await client.tokens.create({ name: "weekly figures", scopes: ["distill:read", "billing:read"] })
  const [delivery] = (await client.deliveries.list(endpoint.id, { status: "failed" }).page()).data
  const connector = await client.connectors.create({
    name: "tickets of the help desk",
    kind: "http_jsonl",
    config: { url: `${hooks}/tickets.jsonl`, auth_header: "X-Key: desk" }
  })
  const pull = await client.pulls.wait((await client.pulls.create(connector.id)).id)
  const { url: shared } = await client.reports.share(run.report ?? "")
  const pages: EachPage = {
    home: {},
    calls: {},
    call: { id: call?.id ?? "" },
    data: {},
    upload: { id: upload.id },
    dataset: { id: dataset.id },
    version: { id: version.id },
    compareVersions: { left: version.id, right: cleaned.id },
    connector: { id: connector.id },
    pull: { id: pull.id },
    review: { id: (await client.reviewQueues.create({ dataset_version: version.id, of: "holdout" })).id },
    runs: {},
    newRun: { version: version.id },
    compare: { left: rehearsal.id, right: run.id },
    run: { id: run.id },
    reports: {},
    report: { id: run.report ?? "" },
    students: {},
    student: { id: run.student_model ?? "" },
    deployments: {},
    deployment: { id: deployment },
    playground: {},
    events: {},
    event: { id: delivery?.event_id ?? "" },
    webhooks: {},
    signatureTester: {},
    endpoint: { endpoint: endpoint.id },
    delivery: { endpoint: endpoint.id, delivery: delivery?.id ?? "" },
    billing: {},
    sources: {},
    tokens: {},
    workspace: {},
    assistant: {},
    assistantConversation: { id: "none" }
  }
  const places = {
    ...addressesOf(pages),
    // Other states of pages.
    rehearsal: addressOf("run", { id: rehearsal.id }),
    registered: addressOf("student", { id: registered.id }),
    nowhere: "/nowhere"
  }
  return { places, shared }
}

export const open = async (atEnd: AtEnd): Promise<World> => {
  const folder = await temporaryFolder(atEnd)
  const postgres = await new Postgres(atEnd, folder, path.join(folder, "postgres")).start()
  const certificate = selfSigned("127.0.0.1")
  const authority = path.join(folder, "authority.pem")
  await fs.writeFile(authority, certificate.cert)
  const environment = {
    ...Servers.quiet,
    DATABASE_URL: postgres.url,
    DATA_DIR: path.join(folder, "server"),
    EGRESS_ALLOW: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: authority
  }
  const { origin } = await new Servers.Server(atEnd, environment).start()
  const command = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await Servers.runToEnd({ ...environment, PUBLIC_URL: origin }, words)
    if (code !== 0) throw new Error(stderr.join("\n"))
    return stdout.join("\n")
  }
  const models = new Models()
  await models.open()
  atEnd(() => models.close())
  const client = makeClient({ baseUrl: origin, token: Servers.liveToken })
  const workspace = (await command("workspace", "list")).split(" ")[0] ?? ""
  await command("billing", "top-up", "--workspace", workspace, "--amount", "50", "--reference", "invoice 2026-117")
  await command("person", "add", "ann@example.com", "--workspace", workspace, "--role", "owner")
  await command("person", "add", "bob@example.com", "--workspace", workspace, "--role", "viewer")
  const filled = await fill(client, origin, models, await receiver(atEnd, certificate))
  const link = async () => /http\S+$/.exec(await command("person", "link", "ann@example.com"))?.[0] ?? ""
  return { origin, link, ...filled }
}
