/** Two runs side by side: plan, cost and result. */
import type { Report, Run } from "@limbeck/client"
import type { ReactNode } from "react"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Page, QueryContent } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { intervalText, millis, score, seconds, share, usd } from "../parts/Words.ts"

interface Side {
  readonly run: Run
  readonly report: Report | null
}

const useSide = (id: string) => {
  const client = useClient()
  return useAnswer<Side>(["compare", id], async () => {
    const run = await client.runs.get(id)
    return { run, report: run.report === null ? null : await client.reports.get(run.report) }
  })
}

const lines: ReadonlyArray<readonly [name: string, of: (side: Side) => ReactNode]> = [
  ["State", ({ run }) => <Badge of={run.status} />],
  ["Kind", ({ run }) => (run.dry_run ? "rehearsal" : "live")],
  ["Student", ({ run }) => String(run.recipe["student_model"] ?? "–")],
  ["Version", ({ run }) => <code>{run.dataset_version}</code>],
  ["Spent", ({ run }) => usd(run.totals.cost_usd)],
  ["Machine", ({ run }) => seconds(run.totals.gpu_seconds)],
  ["Agreement", ({ report }) => share(report?.accuracy?.value)],
  ["Its interval", ({ report }) => intervalText(report?.accuracy?.interval, share)],
  ["Most frequent answer", ({ report }) => share(report?.advice?.most_frequent?.share)],
  ["Calibration error", ({ report }) => score(report?.calibration?.expected_error)],
  ["Latency of the student, median", ({ report }) => millis(report?.latency_ms?.student?.p50)],
  ["Saved per 1,000 calls", ({ report }) => usd(report?.advice?.saving?.per_1000_calls_usd)],
  ["Recommended threshold", ({ report }) => score(report?.advice?.cascade?.recommended_threshold)]
]

const nameOf = ({ run }: Side) => run.name ?? run.student_model_name ?? run.id

export default function Compare({
  params: { left = "", right = "" }
}: {
  readonly params: Readonly<Record<string, string>>
}) {
  const [first, second] = [useSide(left), useSide(right)]
  return (
    <Page title="Two runs" from={["/runs", "Runs"]}>
      <QueryContent query={first}>
        {(one) => (
          <QueryContent query={second}>
            {(other) => (
              <PlainTable
                caption="Side by side"
                head={["What", nameOf(one), nameOf(other)]}
                rows={lines.map(([name, of]) => [name, of(one), of(other)])}
              />
            )}
          </QueryContent>
        )}
      </QueryContent>
    </Page>
  )
}
