/** Fields for a dataset version: first the dataset, then a version with a holdout. */
import { useState } from "react"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Select } from "../parts/Ask.tsx"
import { momentOf } from "../parts/Time.tsx"
import { quantity } from "../parts/Words.ts"

interface VersionsProps {
  readonly dataset: string
  readonly name: string
}

const Versions = ({ dataset, name }: VersionsProps) => {
  const client = useClient()
  const { items, isPending } = useList(["datasets", dataset, "versions"], (cursor) =>
    client.datasetVersions.list(dataset, { limit: 50, ...cursor })
  )
  const judging = items.filter(({ holdout_rows, status }) => status === "ready" && (holdout_rows ?? 0) > 0)
  return (
    <Select
      label="Version"
      name={name}
      required
      options={judging.map(({ created_at, holdout_rows, id }) => [
        id,
        `${momentOf(created_at)}, ${quantity(holdout_rows ?? 0, "row")} held out`
      ])}
      {...(isPending || judging.length > 0
        ? {}
        : { hint: "This dataset has no version with rows that were held out." })}
    />
  )
}

/** `name` is the form field with the version's id. */
export const VersionChoice = ({ name }: { readonly name: string }) => {
  const client = useClient()
  const [chosen, setChosen] = useState<string>()
  const { items, isPending } = useList(["datasets"], (cursor) => client.datasets.list({ limit: 50, ...cursor }))
  const dataset = chosen ?? items[0]?.id
  return (
    <>
      <Select
        label="Dataset"
        required
        value={dataset}
        onChange={({ target }) => setChosen(target.value)}
        options={items.map(({ id, name: of }) => [id, of])}
        {...(isPending || items.length > 0 ? {} : { hint: "There is no dataset yet." })}
      />
      {dataset !== undefined && <Versions key={dataset} dataset={dataset} name={name} />}
    </>
  )
}
