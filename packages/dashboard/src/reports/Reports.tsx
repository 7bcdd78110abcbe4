/** Reports: of each finished run, whether its student pays. */
import type { Report } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, opening, share } from "../parts/Words.ts"

const columns: ReadonlyArray<Column<Report>> = [
  { name: "Summary", width: "minmax(10rem, 4fr)", of: ({ summary }) => opening(summary) },
  { name: "Kind", width: "7rem", of: ({ dry_run }) => (dry_run ? "rehearsal" : "live"), isMinor: true },
  { name: "Agreement", width: "7rem", narrow: "5.5rem", of: ({ accuracy }) => share(accuracy?.value), isFigure: true },
  { name: "Rows", width: "6rem", of: ({ evaluated_rows }) => count(evaluated_rows), isFigure: true, isMinor: true },
  { name: "Made", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

export default function Reports() {
  const client = useClient()
  const list = useList(["reports"], (cursor) => client.reports.list({ limit: 20, ...cursor }))
  return (
    <Page title="Reports">
      <ItemTable
        label="Reports"
        list={list}
        columns={columns}
        href={({ id }) => `/reports/${id}`}
        empty={<Empty title="No report yet">Every run that succeeds has one.</Empty>}
      />
    </Page>
  )
}
