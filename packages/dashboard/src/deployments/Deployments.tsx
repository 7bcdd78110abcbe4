/** Students that answer, or are compared. */
import type { Deployment } from "@limbeck/client"
import { Link } from "wouter"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"

const columns: ReadonlyArray<Column<Deployment>> = [
  { name: "Model", width: "minmax(8rem, 2fr)", of: ({ model }) => model },
  {
    name: "State",
    width: "8rem",
    narrow: "5rem",
    of: ({ guarded_at, status }) => <Badge of={guarded_at === null ? status : "guarded"} />
  },
  { name: "Mode", width: "7rem", narrow: "5rem", of: ({ mode }) => <Badge of={mode} /> },
  {
    name: "Traffic",
    width: "6rem",
    of: ({ traffic_percent }) => `${traffic_percent} %`,
    isFigure: true,
    isMinor: true
  },
  { name: "Fallback", width: "minmax(6rem, 1fr)", of: ({ fallback }) => fallback?.model ?? "none", isMinor: true },
  { name: "Made", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

export default function Deployments() {
  const client = useClient()
  const list = useList(["deployments"], (cursor) => client.deployments.list({ limit: 50, ...cursor }))
  return (
    <Page
      title="Deployments"
      actions={
        <Link className="button" href="/students">
          Students
        </Link>
      }
    >
      <ItemTable
        label="Deployments"
        list={list}
        columns={columns}
        href={({ id }) => `/deployments/${id}`}
        empty={
          <Empty title="Nothing is deployed">
            The report of a live run has a button for it, and so has every student.
          </Empty>
        }
      />
    </Page>
  )
}
