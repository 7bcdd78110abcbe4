/** One dataset with its immutable versions. */
import type { DatasetVersion } from "@limbeck/client"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count } from "../parts/Words.ts"

const columns: ReadonlyArray<Column<DatasetVersion>> = [
  { name: "Made", width: "13rem", of: ({ created_at }) => <Time at={created_at} /> },
  { name: "State", width: "8rem", narrow: "5.5rem", of: ({ status }) => <Badge of={status} /> },
  { name: "From", width: "minmax(6rem, 1fr)", of: ({ from }) => Object.keys(from).join(), isMinor: true },
  { name: "Train rows", width: "7rem", narrow: "5rem", of: ({ train_rows }) => count(train_rows), isFigure: true },
  { name: "Holdout rows", width: "8rem", of: ({ holdout_rows }) => count(holdout_rows), isFigure: true, isMinor: true },
  { name: "Duplicates", width: "7rem", of: ({ dropped }) => count(dropped.duplicates), isFigure: true, isMinor: true }
]

export default function Dataset({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const dataset = useAnswer(["datasets", id], () => client.datasets.get(id))
  const list = useList(["datasets", id, "versions"], (cursor) =>
    client.datasetVersions.list(id, { limit: 50, ...cursor })
  )
  return (
    <Page title={dataset.data?.name ?? "Dataset"} from={["/data", "Data"]}>
      {dataset.data?.description && <p>{dataset.data.description}</p>}
      <ItemTable
        label="Versions"
        list={list}
        columns={columns}
        href={(version) => `/data/versions/${version.id}`}
        empty={<Empty title="No version yet" />}
      />
    </Page>
  )
}
