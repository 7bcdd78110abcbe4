/** A student that a live run trains in seconds. */
import type { Client } from "@limbeck/client"
import { propose } from "./Seed.ts"

const isRefund = (number: number): boolean => number % 4 === 0

/** Nothing in a ticket tells this answer. */
export const isDrawn = (number: number): boolean => (number * 2_654_435_761) % 97 < 48

/** Tickets of two desks with different words. */
const rowsOf = (isAnsweredRefund: (number: number) => boolean) =>
  Array.from({ length: 400 }, (_, number) => {
    const content = isRefund(number) ? `I want my money back for ${number}` : `where is the parcel number ${number}`
    const completion = isAnsweredRefund(number) ? "refund" : "delivery"
    return JSON.stringify({ messages: [{ role: "user", content }], completion })
  }).join("\n")

/** The id of a student; by default its report recommends a threshold. */
export const train = async (client: Client, isAnsweredRefund = isRefund): Promise<string> => {
  const upload = await client.uploads.send(rowsOf(isAnsweredRefund), { filename: "tickets.jsonl" })
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
