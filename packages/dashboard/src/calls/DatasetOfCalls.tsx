/** "Make a dataset of this filter": a dataset, and a version of the calls that the filter finds. */
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import type { Filter } from "./Filter.ts"

interface Props {
  readonly filter: Filter
  /** Gets the version's id. */
  readonly done: (id: string) => void
}

/** Whether a version can take exactly the calls of the filter: a version filters by model, source and tag alone. */
export const isOfVersion = ({ model: _model, source: _source, tag: _tag, ...others }: Filter): boolean =>
  Object.values(others).every((value) => value === undefined)

export const DatasetOfCalls = ({ done, filter }: Props) => {
  const client = useClient()
  const { model, source, tag } = filter
  const create = async (form: FormData) => {
    const dataset = await client.datasets.create({ name: String(form.get("name")) })
    const calls = {
      ...(model === undefined ? {} : { model }),
      ...(source === undefined ? {} : { source }),
      ...(tag === undefined ? {} : { tags: [tag] })
    }
    return client.datasetVersions.create(dataset.id, { from: { calls } })
  }
  return (
    <Ask
      button="Make a dataset of these"
      tone="primary"
      title="Make a dataset of these calls"
      note="It takes the calls of this model, source and tag that succeeded upstream. Repeated rows are dropped, and a part is held out to judge the student."
      does="Make"
      act={create}
      done={({ id }) => done(id)}
    >
      <Input label="Name of the dataset" name="name" required maxLength={64} />
    </Ask>
  )
}
