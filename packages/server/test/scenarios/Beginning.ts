/** What the first steps of a scenario do, one each, with valid bodies: one resource of most kinds. */
import { type Body, liveRun, question, rowLine, served } from "./Bodies.ts"
import type { Act } from "./Step.ts"

const post = (path: string, body: Body): Act => ({ method: "POST", path, body })

const lines = Array.from({ length: 60 }, (_, index) => rowLine(index, index % 3)).join("")

const deployed: Body = { alias: "desk-0", student_model: "{stu_:0}", mode: "active", ...served }

export const beginning: ReadonlyArray<Act> = [
  { ...post("/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" }), content: lines },
  post("/v1/distill/datasets", { name: "tickets" }),
  post("/v1/distill/datasets/{ds_:0}/versions", { from: { upload: "{upl_:0}" }, holdout_fraction: 0.25, seed: 1 }),
  post("/v1/distill/runs", liveRun("{dsv_:0}")),
  post("/v1/distill/deployments", deployed),
  post("/v1/distill/rewards", { name: "same", kind: "exact_match", config: {} }),
  post("/v1/agents", { name: "Desk", source: "model", model: "gpt" }),
  post("/v1/proxy/chat/completions", question(1, 1))
]
