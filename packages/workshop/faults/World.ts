/** What a fault breaks: two servers on one Postgres, a model behind them, a deployment, and two receivers of webhooks. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { type Certificate, selfSigned } from "@limbeck/testing/fixtures/Certificate"
import { Api, type Endpoint, rows } from "../../cli/test/Api.ts"
import { Receiver } from "../../cli/test/Receiver.ts"
import { type Environment, liveToken, quiet, Server } from "../../cli/test/Server.ts"
import { upstream } from "../../cli/test/Upstream.ts"
import { Postgres } from "./Postgres.ts"

export interface World {
  readonly folder: string
  readonly postgres: Postgres
  readonly servers: readonly [Server, Server]
  readonly apis: readonly [Api, Api]
  /** How often the model was asked each question. */
  readonly asked: ReadonlyMap<string, number>
  readonly hooks: ReadonlyArray<{ readonly receiver: Receiver; readonly endpoint: Endpoint }>
  /** The path of the deployment, and its alias. */
  readonly deployment: string
  readonly alias: string
  /** The request of a dry run. */
  readonly plan: object
  /** What new versions are made of. */
  readonly data: { readonly dataset: string; readonly upload: string }
}

export interface Place {
  /** Where Postgres keeps its data. */
  readonly dataDir: string
  /** More of the servers' environment. */
  readonly environment: Environment
}

export const dataDirOf = (folder: string, index: number): string => path.join(folder, `server-${index}`)

const alias = "faults"
export const rowsOfVersion = 30

/** One event in ten is refused once. */
const refusesOne = (event: string, nth: number): boolean => nth === 0 && Buffer.from(event).at(-1)! % 10 === 0

type IsRefused = (event: string, nth: number) => boolean

const hook = async (atEnd: AtEnd, api: Api, certificate: Certificate, isRefused: IsRefused) => {
  const manner = (event: string, nth: number) => ({ status: isRefused(event, nth) ? 500 : 200, delayMillis: 0 })
  const receiver = new Receiver(manner, certificate)
  return { receiver, endpoint: await receiver.subscribe(atEnd, api) }
}

/** A builtin student that has read thirty rows, in shadow. */
const deploy = async (api: Api, plan: object): Promise<string> => {
  const run = await api.create<{ id: string }>("/v1/distill/runs", { ...plan, dry_run: false })
  await api.finished(`/v1/distill/runs/${run.id}`, "queued")
  const [over] = await api.whenOver([await api.run(run.id)])
  const { student_model } = await api.get<{ student_model: string }>(`/v1/distill/runs/${run.id}`)
  if (over?.status !== "succeeded") throw new Error(`the student was not trained: ${JSON.stringify(over)}`)
  const fallback = { source: "teacher", model: "teacher" }
  const body = { alias, student_model, fallback, mode: "shadow", traffic_percent: 50 }
  const { id } = await api.create<{ id: string }>("/v1/distill/deployments", body)
  const deployment = `/v1/distill/deployments/${id}`
  await api.finished(deployment, "provisioning")
  return deployment
}

export const open = async (atEnd: AtEnd, folder: string, { dataDir, environment }: Place): Promise<World> => {
  const postgres = await new Postgres(atEnd, folder, dataDir).start()
  const { asked, base_url } = await upstream(atEnd)
  const certificate = selfSigned("127.0.0.1")
  const authority = path.join(folder, "authority.pem")
  await fs.writeFile(authority, certificate.cert)
  const shared = {
    ...quiet,
    DATABASE_URL: postgres.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64"),
    EGRESS_ALLOW: "127.0.0.0/8",
    EXECUTOR: "stub",
    NODE_EXTRA_CA_CERTS: authority,
    ...environment
  }
  const server = (index: number) => new Server(atEnd, { ...shared, DATA_DIR: dataDirOf(folder, index) })
  const servers = [server(0), server(1)] as const
  await Promise.all(servers.map((one) => one.start()))
  const apis = [new Api(servers[0], liveToken), new Api(servers[1], liveToken)] as const
  const [api] = apis
  const source = { name: "teacher", kind: "byok", base_url, api_key: "sk-faults", models: ["teacher"], default: true }
  await api.create("/v1/sources", source)
  // `Api.plan` makes an object with members.
  const plan = (await api.plan()) as object
  const deployment = await deploy(api, plan)
  const { id: upload } = await api.uploaded(await api.upload(rows(rowsOfVersion)))
  const { id: dataset } = await api.create<{ id: string }>("/v1/distill/datasets", { name: "versions under load" })
  const hooks = [await hook(atEnd, api, certificate, () => false), await hook(atEnd, api, certificate, refusesOne)]
  return { folder, postgres, servers, apis, asked, hooks, deployment, alias, plan, data: { dataset, upload } }
}
