/** One dataset with its immutable versions. */
import type { DatasetVersion } from "@limbeck/client"
import { useLocation } from "wouter"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page, QueryContent } from "../parts/Page.tsx"
import { usePair } from "../parts/Pair.ts"
import { Time } from "../parts/Time.tsx"
import { count } from "../parts/Words.ts"

const figures: ReadonlyArray<Column<DatasetVersion>> = [
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
  const [, go] = useLocation()
  const { chosen, toggle } = usePair()
  const columns = [
    ...figures,
    {
      name: "Compare",
      width: "6rem",
      narrow: "4.5rem",
      of: (version: DatasetVersion) => (
        <input
          type="checkbox"
          aria-label={`Compare ${version.id}`}
          checked={chosen.includes(version.id)}
          onChange={() => toggle(version.id)}
        />
      )
    }
  ]
  return (
    <Page
      title={dataset.data?.name ?? "Dataset"}
      from={["/data", "Data"]}
      actions={
        dataset.data !== undefined && (
          <button type="button" disabled={chosen.length !== 2} onClick={() => go(`/data/compare/${chosen.join("/")}`)}>
            Compare two
          </button>
        )
      }
    >
      <QueryContent query={dataset}>
        {({ description }) => (
          <>
            {description && <p>{description}</p>}
            <ItemTable
              label="Versions"
              list={list}
              columns={columns}
              href={(version) => `/data/versions/${version.id}`}
              empty={<Empty title="No version yet" />}
            />
          </>
        )}
      </QueryContent>
    </Page>
  )
}
