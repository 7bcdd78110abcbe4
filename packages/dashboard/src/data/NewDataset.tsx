/** Makes a dataset with a first version of uploaded or pulled rows. */
import type { DatasetVersionCreate } from "@limbeck/client"
import { useLocation } from "wouter"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { textOf } from "../parts/Forms.ts"

interface Props {
  readonly title: string
  readonly from: DatasetVersionCreate["from"]
}

export const NewDataset = ({ from, title }: Props) => {
  const client = useClient()
  const [, go] = useLocation()
  const create = async (form: FormData) => {
    const dataset = await client.datasets.create({ name: textOf(form, "name") })
    return client.datasetVersions.create(dataset.id, { from })
  }
  return (
    <Ask
      button="Make a dataset"
      tone="primary"
      title={title}
      does="Make"
      act={create}
      done={({ id }) => go(`/data/versions/${id}`)}
    >
      <Input label="Name of the dataset" name="name" required maxLength={64} />
    </Ask>
  )
}
