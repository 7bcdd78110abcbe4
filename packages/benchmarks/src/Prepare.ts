/** Brings a server under test to where runs can be created: an upload, a version, and the body of a dry run on it. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch } from "undici"

type Headers = Readonly<Record<string, string>>

const rows = Array.from({ length: 50 }, (_, index) =>
  JSON.stringify({ messages: [{ role: "user", content: `ticket ${index}` }], completion: `label ${index % 3}` })
).join("\n")

export const prepareVersion = async (origin: string, headers: Headers): Promise<string> => {
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(origin + path, {
      method,
      headers: { ...headers, "idempotency-key": randomUUID() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const until = async (path: string, status: string) => {
    while ((await call("GET", path))["status"] !== status) await sleep(20)
  }
  const upload = await call("POST", "/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" })
  const content = `/v1/distill/uploads/${upload["id"]}`
  await fetch(`${origin}${content}/content`, { method: "PUT", headers, body: rows })
  await until(content, "succeeded")
  const dataset = await call("POST", "/v1/distill/datasets", { name: "bench" })
  const version = await call("POST", `/v1/distill/datasets/${dataset["id"]}/versions`, {
    from: { upload: upload["id"] }
  })
  await until(`/v1/distill/dataset_versions/${version["id"]}`, "ready")
  const stages = [
    { kind: "sft", config: { epochs: 3 } },
    { kind: "eval", config: {} }
  ]
  return JSON.stringify({
    dataset_version: version["id"],
    recipe: { student_model: "builtin/text-classifier", stages, rewards: [] },
    budget: { max_cost_usd: 5 },
    dry_run: true
  })
}
