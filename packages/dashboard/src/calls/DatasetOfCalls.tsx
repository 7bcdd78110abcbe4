/** "Make a dataset of these": a dataset, and a version of the calls that the page lists. */
import type { CapturedCall } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import type { Filter } from "./Filter.ts"

interface Props {
  readonly filter: Filter
  /** The newest call of the list; undefined: the list is empty. */
  readonly newest: CapturedCall | undefined
  /** Receives the version's id. */
  readonly done: (id: string) => void
}

/** The calls of the list that give no row, by the filter of the list. */
const noteOf = ({ outcome, served_by }: Filter): string => {
  const outcomes = outcome === undefined ? "Failed and aborted calls are left out" : `It takes ${outcome} calls`
  const responders =
    served_by === undefined
      ? "answers of students are left out unless you filter by “Answered by”"
      : served_by === "student"
        ? "the student's own answers become rows"
        : `rows are answers of ${served_by.replace("_", " ")}`
  return `It takes the calls of this filter up to the newest one listed. ${outcomes}; ${responders}. Only conversations with a whole answer become rows. Repeated rows are dropped, and a part is held out to judge the student.`
}

/** Just after the call, so that calls which came in since the list was read stay out. */
const justAfter = ({ created_at }: CapturedCall): string => new Date(Date.parse(created_at) + 1).toISOString()

export const DatasetOfCalls = ({ done, filter, newest }: Props) => {
  const client = useClient()
  const create = async (form: FormData) => {
    const dataset = await client.datasets.create({ name: String(form.get("name")) })
    const calls = newest === undefined ? filter : { ...filter, created_before: justAfter(newest) }
    return client.datasetVersions.create(dataset.id, { from: { calls } })
  }
  return (
    <Ask
      button="Make a dataset of these"
      tone="primary"
      title="Make a dataset of these calls"
      note={noteOf(filter)}
      does="Make"
      disabled={newest === undefined}
      act={create}
      done={({ id }) => done(id)}
    >
      <Input label="Name of the dataset" name="name" required maxLength={64} />
    </Ask>
  )
}
