/** "Make a dataset of these": a dataset, and a version of the calls that the page lists. */
import type { CapturedCall } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { numberOf, textOf } from "../parts/Forms.ts"
import { quantity } from "../parts/Words.ts"
import type { Filter } from "./Filter.ts"

interface Props {
  readonly filter: Filter
  /** The calls that were chosen by hand; empty: all of the filter. */
  readonly chosen: ReadonlyArray<string>
  /** The newest call of the list; undefined: the list is empty. */
  readonly newest: CapturedCall | undefined
  /** How many calls are loaded, and whether the list goes on. */
  readonly loaded: { readonly calls: number; readonly hasMore: boolean }
  /** Receives the version's id. */
  readonly done: (id: string) => void
}

/** The calls of the list that give no row, by the filter of the list. */
const leftOut = ({ outcome, served_by }: Filter): string => {
  const outcomes = outcome === undefined ? "Failed and aborted calls are left out" : `It takes ${outcome} calls`
  const responders =
    served_by === undefined
      ? "answers of students are left out unless you filter by “Answered by”"
      : served_by === "student"
        ? "the student's own answers become rows"
        : `rows are answers of ${served_by.replace("_", " ")}`
  return `${outcomes}; ${responders}. Only conversations with a whole answer become rows.`
}

const taken = ({ chosen, loaded }: Pick<Props, "chosen" | "loaded">): string => {
  if (chosen.length > 0) return `It takes the ${quantity(chosen.length, "chosen call")}.`
  const calls = loaded.hasMore ? `more than ${quantity(loaded.calls, "call")}` : quantity(loaded.calls, "call")
  return `It takes the calls of this filter up to the newest one listed: ${calls}.`
}

/** Just after the call, so that calls which came in since the list was read stay out. */
const justAfter = ({ created_at }: CapturedCall): string => new Date(Date.parse(created_at) + 1).toISOString()

const redactions = [
  ["email", "e-mail addresses"],
  ["phone", "telephone numbers"],
  ["credit_card", "credit cards"],
  ["api_key", "API keys"]
] as const

const Redactions = () => (
  <fieldset className="picker">
    <legend>Replaced by a mark in every row</legend>
    {redactions.map(([kind, words]) => (
      <label key={kind} className="choice">
        <input type="checkbox" name="redact" value={kind} /> {words}
      </label>
    ))}
  </fieldset>
)

/** How the rows are made of the calls. */
const settingsOf = (form: FormData) => {
  const percent = numberOf(form, "holdout_fraction")
  const redact = redactions.map(([kind]) => kind).filter((kind) => form.getAll("redact").includes(kind))
  return {
    dedupe: textOf(form, "dedupe") === "none" ? ("none" as const) : ("exact" as const),
    ...(percent === undefined ? {} : { holdout_fraction: percent / 100 }),
    ...(redact.length === 0 ? {} : { redact })
  }
}

export const DatasetOfCalls = ({ chosen, done, filter, loaded, newest }: Props) => {
  const client = useClient()
  const create = async (form: FormData) => {
    const dataset = await client.datasets.create({ name: textOf(form, "name") })
    const all = newest === undefined ? filter : { ...filter, created_before: justAfter(newest) }
    const { outcome, served_by } = filter
    const kind = { ...(outcome === undefined ? {} : { outcome }), ...(served_by === undefined ? {} : { served_by }) }
    const calls = chosen.length > 0 ? { ids: [...chosen], ...kind } : all
    return client.datasetVersions.create(dataset.id, { from: { calls }, ...settingsOf(form) })
  }
  return (
    <Ask
      button={chosen.length > 0 ? "Make a dataset of the chosen" : "Make a dataset of these"}
      tone="primary"
      title={chosen.length > 0 ? "Make a dataset of the chosen calls" : "Make a dataset of these calls"}
      note={`${taken({ chosen, loaded })} ${leftOut(filter)}`}
      does="Make"
      disabled={newest === undefined}
      act={create}
      done={({ id }) => done(id)}
    >
      <Input label="Name of the dataset" name="name" required maxLength={64} />
      <Input
        label="Held out to judge the student, in percent"
        name="holdout_fraction"
        type="number"
        min="0"
        max="50"
        step="any"
        placeholder="10"
        hint="Training never sees these rows"
      />
      <Select
        label="Repeated rows"
        name="dedupe"
        options={[
          ["exact", "are one row"],
          ["none", "are all kept"]
        ]}
      />
      <Redactions />
    </Ask>
  )
}
