/** A proposal for a version, and its rehearsal. */
import type { Proposal, RunCreate } from "@limbeck/client"
import type { FormEvent } from "react"
import { useLocation } from "wouter"
import { useAction } from "../app/Queries.ts"
import { useClient, useMayWrite } from "../app/Session.tsx"
import { BudgetInput, Input, Select } from "../parts/Ask.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Json } from "../parts/Json.tsx"
import { Text } from "../parts/LongText.tsx"
import { Page, Section } from "../parts/Page.tsx"
import { seconds, usd } from "../parts/Words.ts"

const objectives = [
  ["cost", "the cheapest"],
  ["quality", "the best"],
  ["latency", "the fastest"]
] as const

const Proposed = ({ proposal }: { readonly proposal: Proposal }) => {
  const mayWrite = useMayWrite()
  const client = useClient()
  const [, go] = useLocation()
  const { budget, compute, dataset_version, estimate, rationale, rewards, stages, student_model } = proposal
  const plan: RunCreate = {
    dataset_version,
    recipe: { student_model, stages, rewards },
    budget,
    compute: { profile: compute.profile },
    dry_run: true
  }
  const rehearse = useAction(
    (name: string) => client.runs.create(name === "" ? plan : { ...plan, student_model_name: name }),
    ({ id }) => go(`/runs/${id}`)
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    rehearse.mutate(String(new FormData(event.currentTarget).get("name") ?? "").trim())
  }
  return (
    <Section title={`Proposed: ${student_model}`}>
      <div className="figures">
        <Figure
          name="Estimated cost"
          value={usd(estimate.cost_usd)}
          note={`the budget is ${usd(budget.max_cost_usd)}`}
        />
        <Figure
          name="Estimated time"
          value={seconds(60 * estimate.wall_clock_minutes)}
          note={`on ${compute.profile}`}
        />
      </div>
      <Facts
        of={[
          ["Task", proposal.case.replace("_", " ")],
          ["Stages", stages.map(({ kind }) => kind).join(", ")],
          ["Machine", compute.machine ?? compute.profile]
        ]}
      />
      <h3>Why</h3>
      <ul>
        {rationale.map((reason, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two reasons may be the same text
          <li key={at}>
            <Text label="the reason" of={reason} />
          </li>
        ))}
      </ul>
      <details>
        <summary>The recipe as JSON</summary>
        <Json label="Recipe" of={plan.recipe} />
      </details>
      <form className="filter" onSubmit={submit}>
        <Input label="Name of the student" name="name" maxLength={64} />
        <button type="submit" className="primary" disabled={!mayWrite || rehearse.isPending}>
          Rehearse
        </button>
      </form>
      <p className="soft">
        A rehearsal walks the whole plan, and costs nothing. A live run waits for your yes on its page.
      </p>
      <Failure error={rehearse.error} />
    </Section>
  )
}

export default function NewRun({ params: { version = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const mayWrite = useMayWrite()
  const propose = useAction((form: FormData) =>
    client.recipes.propose({
      dataset_version: version,
      objective: String(form.get("objective")) as (typeof objectives)[number][0],
      max_cost_usd: Number(form.get("max_cost_usd"))
    })
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    propose.mutate(new FormData(event.currentTarget))
  }
  return (
    <Page title="New student" from={[`/data/versions/${version}`, "Dataset version"]}>
      <Section title="What do you want?">
        <form className="filter" onSubmit={submit}>
          <Select label="The student is to be" name="objective" options={objectives} />
          <BudgetInput />
          <button type="submit" className="primary" disabled={!mayWrite || propose.isPending}>
            Propose
          </button>
        </form>
        <Failure error={propose.error} />
      </Section>
      {propose.data !== undefined && <Proposed key={propose.data.plan_hash} proposal={propose.data} />}
    </Page>
  )
}
