/** What tests of later steps start from: a ready dataset version, and its run. */
import { performance } from "node:perf_hooks"
import { setTimeout } from "node:timers/promises"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { Proposal } from "@limbeck/api/RecipesApi"
import type { Run } from "@limbeck/api/RunsApi"
import type { Upload } from "@limbeck/api/UploadsApi"
import { patienceMillis } from "../Eventually.ts"
import { type Answer, type Client, expectStatus } from "./Client.ts"

/**
 * A pause takes this part of the time that was waited, and no longer than this: fast conditions are seen at once, and slow work
 * has the processor to itself. Requests stay below 100 a second, the default rate limit.
 */
const pausePart = 1 / 8
const pauseMillisMax = 100

/** Reads repeatedly until the condition holds. Fails after `patienceMillis`, before the test does, with what it read last. */
export const readUntil = async <A>(read: () => Promise<Answer<A>>, so: (body: A) => boolean): Promise<A> => {
  const begun = performance.now()
  for (;;) {
    const last = expectStatus(await read(), 200)
    if (so(last)) return last
    const waited = performance.now() - begun
    if (waited > patienceMillis) throw new Error(`This never came to be what was awaited: ${JSON.stringify(last)}`)
    await setTimeout(Math.min(waited * pausePart, pauseMillisMax))
  }
}

let keys = 0
export const freshKey = () => ({ "idempotency-key": `key-${++keys}` })

export const row = (index: number) => ({
  messages: [{ role: "user", content: `ticket ${index} about ${index % 3}` }],
  completion: `label${index % 3}`
})

export const linesOf = (rows: ReadonlyArray<unknown>) => rows.map((one) => `${JSON.stringify(one)}\n`).join("")

export const announce = async (caller: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  expectStatus(
    await caller.post<typeof Upload.Type>(
      "/v1/distill/uploads",
      { filename: "rows.jsonl", format: "chat_jsonl", ...fields },
      freshKey()
    ),
    201
  )

/** The path of the upload URL, which names another origin here. */
export const contentPath = (upload: typeof Upload.Type): string => {
  const { pathname, search } = new URL(upload.upload_url ?? "")
  return pathname + search
}

export const sendContent = (caller: Client, upload: typeof Upload.Type, body: RequestInit["body"], headers = {}) =>
  caller.send<typeof Upload.Type>("PUT", contentPath(upload), { body, headers })

export const settledUpload = (caller: Client, id: string) =>
  readUntil(
    () => caller.get<typeof Upload.Type>(`/v1/distill/uploads/${id}`),
    ({ status }) => status === "succeeded" || status === "failed"
  )

export const uploadOf = async (caller: Client, content: string) => {
  const upload = await announce(caller)
  expectStatus(await sendContent(caller, upload, content), 202)
  return settledUpload(caller, upload.id)
}

export const versionOf = async (caller: Client, rows: ReadonlyArray<unknown>, fields = {}) => {
  const { id: upload } = await uploadOf(caller, linesOf(rows))
  const dataset = expectStatus(await caller.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "tickets" }), 201)
  const path = `/v1/distill/datasets/${dataset.id}/versions`
  const made = await caller.post<typeof DatasetVersion.Type>(path, { from: { upload }, ...fields })
  return readUntil(
    () => caller.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${expectStatus(made, 201).id}`),
    ({ status }) => status !== "building"
  )
}

/** Two hundred tickets with three labels. */
export const ticketsVersion = (caller: Client) =>
  versionOf(
    caller,
    Array.from({ length: 200 }, (_, index) => row(index))
  )

export const proposalOf = async (caller: Client, version: string) =>
  expectStatus(
    await caller.post<typeof Proposal.Type>("/v1/distill/recipes/propose", {
      dataset_version: version,
      objective: "cost",
      max_cost_usd: 5
    }),
    200
  )

/** The body of a dry run of the smallest recipe. */
export const dryRun = (version: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  dataset_version: version,
  recipe: { student_model: "builtin/text-classifier", stages: [{ kind: "sft", config: {} }], rewards: [] },
  budget: { max_cost_usd: 5 },
  compute: { profile: "local" },
  dry_run: true,
  ...fields
})

export const createRun = (caller: Client, body: unknown, headers = freshKey()) =>
  caller.post<typeof Run.Type>("/v1/distill/runs", body, headers)

export const endedRun = (caller: Client, id: string) =>
  readUntil(
    () => caller.get<typeof Run.Type>(`/v1/distill/runs/${id}`),
    ({ status }) => status === "succeeded" || status === "failed" || status === "canceled"
  )
