/** Runs, rehearsals among them. */
import type { Run } from "@limbeck/client"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { liveMillis, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Select } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { usePair } from "../parts/Pair.ts"
import { Time } from "../parts/Time.tsx"
import { usd } from "../parts/Words.ts"
import { nameOfStage } from "./StageWords.ts"

const statuses = ["queued", "validating", "running", "evaluating", "succeeded", "failed", "canceled"] as const
type Status = (typeof statuses)[number]

const kindOf = ({ dry_run }: Run) => (dry_run ? "rehearsal" : "live")

export default function Runs() {
  const client = useClient()
  const [, go] = useLocation()
  const [status, setStatus] = useState<Status | "">("")
  const { chosen, toggle } = usePair()
  const filter = status === "" ? {} : { status }
  const list = useList(
    ["runs", filter],
    (cursor) => client.runs.list({ ...filter, limit: 50, ...cursor }),
    2 * liveMillis
  )
  const columns: ReadonlyArray<Column<Run>> = [
    {
      name: "Run",
      width: "minmax(8rem, 2fr)",
      of: ({ name, student_model_name, id }) => name ?? student_model_name ?? id
    },
    { name: "State", width: "8rem", narrow: "6rem", of: (run) => <Badge of={run.status} /> },
    { name: "Kind", width: "7rem", of: kindOf, isMinor: true },
    { name: "Stage", width: "9rem", of: ({ current_stage }) => nameOfStage(current_stage.kind), isMinor: true },
    { name: "Spent", width: "7rem", of: ({ totals }) => usd(totals.cost_usd), isFigure: true, isMinor: true },
    { name: "Made", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true },
    {
      name: "Compare",
      width: "6rem",
      narrow: "4.5rem",
      of: ({ id }) => (
        <input type="checkbox" aria-label={`Compare ${id}`} checked={chosen.includes(id)} onChange={() => toggle(id)} />
      )
    }
  ]
  const actions = (
    <>
      <button type="button" disabled={chosen.length !== 2} onClick={() => go(`/runs/compare/${chosen.join("/")}`)}>
        Compare two
      </button>
      <Link className="button" href="/students">
        Students
      </Link>
    </>
  )
  return (
    <Page title="Runs" actions={actions}>
      <div className="filter">
        <Select
          label="State"
          value={status}
          onChange={({ target }) => setStatus(target.value as Status | "")}
          options={[["", "any"], ...statuses.map((name) => [name, name] as const)]}
        />
      </div>
      <ItemTable
        key={status}
        label="Runs"
        list={list}
        columns={columns}
        href={({ id }) => `/runs/${id}`}
        empty={<Empty title="No such run">Open a version of a dataset, and have a student proposed.</Empty>}
      />
    </Page>
  )
}
