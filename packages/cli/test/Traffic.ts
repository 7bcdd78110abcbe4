/** Concurrent clients that write until stopped, without retries, and record acknowledgements. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { eventually } from "@limbeck/testing/Eventually"
import { type Api, rows, type Upload } from "./Api.ts"

const kinds = ["call", "upload", "dataset", "run"] as const
type Kind = (typeof kinds)[number]
export type AcknowledgedIds = Readonly<Record<Kind, ReadonlyArray<string>>>

const rowsOfUpload = 20
const content = rows(rowsOfUpload)

const paths = {
  call: "/v1/distill/calls",
  upload: "/v1/distill/uploads",
  dataset: "/v1/distill/datasets",
  run: "/v1/distill/runs"
}

/** The id of what was made; rejects with what was answered instead. */
const make = async (api: Api, path: string, body: unknown): Promise<Upload> => {
  const answer = await api.call<Upload>("POST", path, { body, key: randomUUID() })
  if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body
}

const call = async (api: Api): Promise<string> => {
  const body = { model: "m", messages: [{ role: "user", content: "How is it?" }] }
  const answer = await api.call("POST", "/v1/proxy/chat/completions", { body })
  if (answer.status !== 200) throw new Error(`a call was answered ${answer.status}: ${answer.text}`)
  return answer.headers.get("x-service-call-id") ?? ""
}

const upload = async (api: Api): Promise<string> => {
  const made = await make(api, paths.upload, { filename: "rows.jsonl", format: "chat_jsonl" })
  const { status } = await api.send(made, content)
  if (status !== 202) throw new Error(`the content of ${made.id} was answered ${status}`)
  return made.id
}

export class Traffic {
  readonly failures: Array<string> = []
  readonly #made: Record<Kind, Array<string>> = { call: [], upload: [], dataset: [], run: [] }
  readonly #working: ReadonlyArray<Promise<void>>
  readonly #underWay = new Set<Promise<void>>()
  #apis: ReadonlyArray<Api>
  #turn = 0
  #isOver = false

  /** `plan`: the request of a dry run. The servers are asked in turns. */
  constructor(apis: ReadonlyArray<Api>, plan: unknown) {
    this.#apis = apis
    const create = (kind: "dataset" | "run", body: unknown) => (api: Api) =>
      make(api, paths[kind], body).then(({ id }) => id)
    this.#working = [
      ...Array.from({ length: 3 }, () => this.#repeat("call", 50, call)),
      this.#repeat("upload", 100, upload),
      this.#repeat("dataset", 100, create("dataset", { name: "under load" })),
      this.#repeat("run", 400, create("run", plan))
    ]
  }

  /** What was acknowledged until now. */
  get acknowledged(): AcknowledgedIds {
    return structuredClone(this.#made)
  }

  /** From now on others are asked; resolves when those before have answered all. */
  async moveTo(apis: ReadonlyArray<Api>): Promise<void> {
    this.#apis = apis
    await Promise.all(this.#underWay)
  }

  /** Two more of each kind are acknowledged. */
  grown(): Promise<unknown> {
    const before = this.acknowledged
    const hasGrown = () => kinds.every((kind) => this.#made[kind].length >= before[kind].length + 2)
    return eventually("the load goes on", hasGrown)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#working)
  }

  async #repeat(kind: Kind, pauseMillis: number, work: (api: Api) => Promise<string>): Promise<void> {
    while (!this.#isOver) {
      const api = this.#apis[this.#turn++ % this.#apis.length]!
      const done = work(api).then(
        (id) => void this.#made[kind].push(id),
        (error) => void this.failures.push(String(error))
      )
      this.#underWay.add(done)
      await done
      this.#underWay.delete(done)
      await sleep(pauseMillis)
    }
  }
}

/** Every delivery to the endpoint has succeeded: the ids of their events. */
export const delivered = async (api: Api, endpoint: { readonly id: string }): Promise<ReadonlyArray<string>> => {
  const deliveries = await eventually("every delivery is made", async () => {
    const all = await api.list<{ event_id: string; status: string }>(`/v1/webhook_endpoints/${endpoint.id}/deliveries`)
    return all.every(({ status }) => status === "succeeded") && all
  })
  return deliveries.map(({ event_id }) => event_id)
}

/** No captured call waits in the server's journal. */
const drained = (api: Api) =>
  eventually("the journal is empty", async () => {
    const { capture } = await api.get<{ capture: { waiting: number } }>("/healthz")
    return capture.waiting === 0
  })

/** Names acknowledged resources that are missing or duplicated after all work has ended. */
export const missing = async (api: Api, acknowledged: AcknowledgedIds): Promise<ReadonlyArray<string>> => {
  const wrong: Array<string> = []
  await drained(api)
  for (const kind of kinds) {
    const found = (await api.list<{ readonly id: string }>(paths[kind])).map(({ id }) => id)
    wrong.push(...acknowledged[kind].filter((id) => found.filter((one) => one === id).length !== 1))
  }
  for (const id of acknowledged.upload) {
    const { rows, status } = await api.uploaded({ id })
    if (status !== "succeeded" || rows !== rowsOfUpload) wrong.push(`${id} is ${status} with ${rows} rows`)
  }
  const runs = await Promise.all(acknowledged.run.map((id) => api.run(id)))
  const over = await api.whenOver(runs)
  return [...wrong, ...over.filter(({ status }) => status !== "succeeded").map(({ id, status }) => `${id} ${status}`)]
}
