// @effect-diagnostics globalFetch:off
/** What tests of serving begin with: a workspace whose students answer, upstreams beside them, and calls to both. */
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { versionOf } from "@limbeck/testing/http/Steps"
import type { Client } from "./Client.ts"
import type { House, HouseOptions, Workspace } from "./House.ts"

/** Upstreams and endpoints are on this machine; language models are trained by nobody, and answered by a test's own server. */
export const serving: HouseOptions = {
  builtin: BuiltinExecutor.executor,
  llm: Deployments.hasty,
  egressAllow: ["127.0.0.0/8", "::1/128"]
}

export const chat = "/v1/proxy/chat/completions"

export interface Completion {
  readonly id: string
  readonly object: string
  readonly model: string
  readonly choices: ReadonlyArray<{
    readonly index: number
    readonly message: { readonly role: string; readonly content: string }
    readonly finish_reason: string | null
  }>
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
  readonly service: { readonly deployment: string; readonly student_model: string; readonly confidence: number }
}

/** Tickets outside the training, with their right labels. */
export const questions = tickets({ rows: 40, seed: 2 })

export const aboutMoney = "I want my money back, please refund the 20 euros on my card"

/** Two students of text classifiers: tickets, and the same with labels of its own. */
export const students = async (live: Client) => {
  const rows = tickets({ rows: 300, seed: 1 })
  const { id: version } = await versionOf(live, rows)
  const loud = rows.map((row) => ({ ...row, completion: row.completion.toUpperCase() }))
  const { id: loudVersion } = await versionOf(live, loud)
  return {
    calm: await Deployments.studentOf(live, Deployments.builtin, version),
    loud: await Deployments.studentOf(live, Deployments.builtin, loudVersion),
    llm: await Deployments.studentOf(live, Deployments.llm, version)
  }
}

/** A source at this base URL, as a fallback. */
export const fallbackTo = async (live: Client, base_url: string, fields = {}) => {
  const source = await createSource(live, { base_url, ...fields })
  return { source: source.name, model: "gpt" }
}

export const asked = (alias: string, content = aboutMoney, fields = {}) => ({
  model: `svc:${alias}`,
  messages: [{ role: "user", content }],
  ...fields
})

export interface SentRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly path?: string
}

/** As a client sends it; the answer as it comes. */
export const call = (
  house: House,
  { liveToken }: Workspace,
  body: unknown,
  { headers, path, signal }: SentRequest = {}
) =>
  fetch(house.origin + (path ?? chat), {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json", ...headers },
    ...(signal === undefined ? {} : { signal })
  })

/** Who answered, and what. */
export const answered = async (response: Response) => {
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
  return {
    status: response.status,
    servedBy: response.headers.get("x-service-served-by"),
    call: response.headers.get("x-service-call-id") ?? "",
    text,
    // The test asserts its content.
    body: (isJson ? JSON.parse(text) : undefined) as Completion
  }
}

export const saidIn = ({ body }: { readonly body: Completion }) => body.choices[0]?.message.content
