/** A student that a live run trains in seconds. */
import type { Client } from "@limbeck/client"
import { propose } from "./Seed.ts"

/** Tickets of two desks with different words. */
const rows = Array.from({ length: 400 }, (_, number) =>
  JSON.stringify(
    number % 4 === 0
      ? { messages: [{ role: "user", content: `I want my money back for ${number}` }], completion: "refund" }
      : { messages: [{ role: "user", content: `where is the parcel number ${number}` }], completion: "delivery" }
  )
).join("\n")

/** The id of a student whose report recommends a threshold. */
export const train = async (client: Client): Promise<string> => {
  const upload = await client.uploads.send(rows, { filename: "tickets.jsonl" })
  await client.uploads.wait(upload.id)
  const dataset = await client.datasets.create({ name: "tickets" })
  const from = { upload: upload.id }
  const { id } = await client.datasetVersions.create(dataset.id, { from, holdout_fraction: 0.4 })
  await client.datasetVersions.wait(id)
  const { compute, recipe } = await propose(client, id)
  const plan = { dataset_version: id, recipe, compute, budget: { max_cost_usd: 5 }, name: "sort" }
  const rehearsal = await client.runs.create({ ...plan, dry_run: true })
  const { plan_hash } = await client.runs.wait(rehearsal.id)
  const live = { ...plan, dry_run: false, validated_dry_run: rehearsal.id, plan_hash, student_model_name: "Sorter 2" }
  const run = await client.runs.wait((await client.runs.create(live)).id, { waitMillis: 300_000 })
  return run.student_model ?? ""
}
