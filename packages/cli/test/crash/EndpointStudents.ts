/** Students of elsewhere that a test answers for, and evaluations of them. */
import type { Api } from "../Api.ts"

const row = (index: number) =>
  JSON.stringify({ messages: [{ role: "user", content: `question ${index}` }], completion: `answer ${index}` })

/** Answers as the teacher did. */
export const student = (question: string) => {
  const message = { role: "assistant", content: question.replace("question", "answer") }
  return { choices: [{ index: 0, message }] }
}

/** The plan of an evaluation of a student at `base_url`, on half of the rows. */
export const evaluationOf = async (api: Api, { base_url, rows }: { base_url: string; rows: number }) => {
  const upload = await api.upload(Array.from({ length: rows }, (_, index) => row(index)).join("\n"))
  await api.uploaded(upload)
  const dataset = await api.create<{ readonly id: string }>("/v1/distill/datasets", { name: "questions" })
  const from = { from: { upload: upload.id }, holdout_fraction: 0.5 }
  const made = await api.create<{ readonly id: string }>(`/v1/distill/datasets/${dataset.id}/versions`, from)
  const version = await api.built(made)
  const { id } = await api.create<{ readonly id: string }>("/v1/distill/student_models", {
    name: "tuned",
    base_model: "gpt-4.1-nano",
    endpoint: { base_url, model: "tuned" }
  })
  const plan = {
    dataset_version: version.id,
    recipe: { student_model: id, stages: [{ kind: "eval", config: {} }], rewards: [] },
    budget: { max_cost_usd: 1 },
    dry_run: false
  }
  return { plan, holdout: version.holdout_rows, student: id }
}
