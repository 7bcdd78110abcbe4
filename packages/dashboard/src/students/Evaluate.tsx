/** Evaluates an external student on the holdout of a version: first a rehearsal, as for any run. */
import type { StudentModel } from "@limbeck/client"
import { useLocation } from "wouter"
import { useClient } from "../app/Session.tsx"
import { VersionChoice } from "../data/VersionChoice.tsx"
import { Ask, BudgetInput } from "../parts/Ask.tsx"
import { numberOf, textOf } from "../parts/Forms.ts"

export const Evaluate = ({ student: { id, origin } }: { readonly student: StudentModel }) => {
  const client = useClient()
  const [, go] = useLocation()
  if (origin !== "external") return null
  const rehearse = (form: FormData) =>
    client.runs.create({
      dataset_version: textOf(form, "version"),
      recipe: { student_model: id, stages: [{ kind: "eval", config: {} }], rewards: [] },
      budget: { max_cost_usd: numberOf(form, "max_cost_usd") ?? 0 },
      dry_run: true
    })
  return (
    <Ask
      button="Evaluate"
      title="Evaluate the student"
      note="It is asked for each row that was held out. A rehearsal asks nobody; the live run waits for your yes on its page."
      does="Rehearse"
      act={rehearse}
      done={(run) => go(`/runs/${run.id}`)}
    >
      <VersionChoice name="version" />
      <BudgetInput />
    </Ask>
  )
}
