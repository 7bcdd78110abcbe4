/** Heavy rows by a token holder: uploads, a redacted version, and scores. */
import { Client, type Family, headers } from "./Abuse.ts"

const user = (content: string) => ({ role: "user", content })
const row = (more: object) => `${JSON.stringify({ messages: [user("a ticket")], completion: "billing", ...more })}\n`

/** With short names, none of them an array index: 90,000 fit into a body of 1 MiB. */
const members = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n.toString(36)}`, 0]))

const manyMembers = () => row({ metadata: members(1_000_000) })
const manyMessages = () => row({ messages: Array.from({ length: 200_000 }, () => user("hello")) })

const address = "ab@c.de "
const addresses = (characters: number) => address.repeat(characters / address.length)
const longString = () => row({ messages: [user(addresses(15 * 2 ** 20))] })
/** The largest row that is taken. */
const largestRow = () => row({ messages: Array.from({ length: 8 }, () => user(addresses(1_000_000))) })

class Rows extends Client {
  /** The upload's id, if it has rows. */
  async upload(label: string, content: string): Promise<string | undefined> {
    const announced = { filename: "rows.jsonl", format: "chat_jsonl" }
    const { id } = await this.json(`announce`, "POST", "/v1/distill/uploads", announced)
    const path = `/v1/distill/uploads/${String(id)}`
    await this.send(label, "PUT", `${path}/content`, content, { ...headers, "content-type": "application/x-ndjson" })
    return (await this.awaitSettled(path, "processing")) === "succeeded" ? String(id) : undefined
  }

  async version(upload: string): Promise<void> {
    const dataset = await this.json("dataset", "POST", "/v1/distill/datasets", { name: "heavy" })
    const path = `/v1/distill/datasets/${String(dataset["id"])}/versions`
    const redact = ["email", "api_key", "credit_card", "phone"]
    const { id } = await this.json("redacted version", "POST", path, { from: { upload }, redact })
    await this.awaitSettled(`/v1/distill/dataset_versions/${String(id)}`, "building")
  }

  async reward(kind: string, config: object): Promise<string> {
    const { id } = await this.json("reward", "POST", "/v1/distill/rewards", { name: kind, kind, config })
    return `/v1/distill/rewards/${String(id)}/score`
  }
}

const scored = { row: { messages: [user("a ticket")], completion: "billing" }, completion: "billing" }

export const rows: Family = async (target) => {
  const client = new Rows(target)
  const unique = await client.reward("json_schema", { schema: { type: "array", uniqueItems: true } })
  const exact = await client.reward("exact_match", {})
  const objects = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n })))
  const heavy = { ...scored, row: { ...scored.row, metadata: members(90_000) } }
  const steps: ReadonlyArray<() => Promise<unknown>> = [
    () => client.json("score of 20,000 unique items", "POST", unique, { ...scored, completion: objects }),
    () => client.json("score of 90,000 members", "POST", exact, heavy),
    () => client.upload("row of 1,000,000 members", manyMembers()),
    () => client.upload("row of 200,000 messages", manyMessages()),
    () => client.upload("row with a string of 15 MiB", longString()),
    async () => {
      const upload = await client.upload("row of 8 MB of strings", largestRow())
      if (upload !== undefined) await client.version(upload)
    }
  ]
  // Every step at least once, however short the phase.
  for (let n = 0; n < steps.length || !target.isOver(); n++) await steps[n % steps.length]!()
  await client.close()
}
