/** One report: does the student pay? */
import type { Report as ReportAnswer } from "@limbeck/client"
import { Link } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { Json } from "../parts/Json.tsx"
import { Answered, Page, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { between, counted, millis, share, usd } from "../parts/Words.ts"
import { Calibration } from "./Calibration.tsx"
import { Cascade } from "./Cascade.tsx"
import { Deploy } from "./Deploy.tsx"
import { Fields } from "./Fields.tsx"
import { Labels } from "./Labels.tsx"
import { Reviewed } from "./Reviewed.tsx"
import { Rewards } from "./Rewards.tsx"
import { WorstExamples } from "./WorstExamples.tsx"

const Share = ({ id }: { readonly id: string }) => {
  const client = useClient()
  return (
    <Ask
      button="Share"
      title="Share this report"
      note="Whoever has the link reads the report, and nothing else. It ends after a week, or when it is withdrawn."
      does="Make a link"
      act={() => client.reports.share(id)}
      shows={({ expires_at, url }) => (
        <>
          <Copy label="the link" text={url} />
          <p>
            It ends <Time at={expires_at} />.
          </p>
        </>
      )}
    />
  )
}

const paidFor = (calls: number | null | undefined) =>
  calls === null || calls === undefined
    ? "nothing is known of what it saves"
    : `paid for after ${counted(calls, "call")}`

const Headline = ({ report }: { readonly report: ReportAnswer }) => {
  const { accuracy, advice, cost_per_1000_calls_usd: cost, latency_ms: latency } = report
  return (
    <section className="card headline" aria-labelledby="headline">
      <h2 id="headline">Does it pay?</h2>
      <p className="summary">{report.summary}</p>
      {advice?.notes
        .filter((note) => !report.summary.includes(note))
        .map((note) => (
          <p key={note}>{note}</p>
        ))}
      <div className="figures">
        <Figure
          name="Agreement with the teacher"
          value={share(accuracy?.value)}
          note={`${between(accuracy?.interval, share)} at 95 %, ${counted(report.evaluated_rows, "row")}`}
        />
        {report.reviewed !== null && (
          <Figure
            name="Right by reviewers"
            value={share(report.reviewed.student.value)}
            note={`the teacher: ${share(report.reviewed.teacher.value)}, ${counted(report.reviewed.rows, "row")}`}
          />
        )}
        <Figure
          name="Always the most frequent answer"
          value={share(advice?.most_frequent?.share)}
          note={advice?.most_frequent?.beaten === false ? "the student does not beat it" : "what a constant would do"}
        />
        <Figure name="Cost per 1,000 calls" value={usd(cost?.student)} note={`the teacher: ${usd(cost?.teacher)}`} />
        <Figure
          name="Latency, median"
          value={millis(latency?.student?.p50)}
          note={`the teacher: ${millis(latency?.teacher?.p50)}`}
        />
        <Figure
          name="Saved per 1,000 calls"
          value={usd(advice?.saving?.per_1000_calls_usd)}
          note={paidFor(advice?.saving?.break_even_calls)}
        />
      </div>
    </section>
  )
}

const Origin = ({ report }: { readonly report: ReportAnswer }) => (
  <Section title="Where it comes from">
    <Facts
      of={[
        [
          "Run",
          <Link key="run" href={`/runs/${report.run}`}>
            <code>{report.run}</code>
          </Link>
        ],
        [
          "Version",
          <Link key="version" href={`/data/versions/${report.provenance.dataset_version}`}>
            <code>{report.provenance.dataset_version}</code>
          </Link>
        ],
        ["Executor", report.provenance.executor],
        ["Spent", usd(report.totals.cost_usd)],
        ["Estimated", usd(report.estimate?.cost_usd)],
        ["Made", <Time key="made" at={report.created_at} />]
      ]}
    />
    <details>
      <summary>The recipe as JSON</summary>
      <Json label="Recipe" of={report.provenance.recipe} />
    </details>
  </Section>
)

const Shown = ({ report }: { readonly report: ReportAnswer }) => (
  <>
    <Headline report={report} />
    <Reviewed reviewed={report.reviewed} />
    <Cascade cascade={report.advice?.cascade ?? null} />
    <Rewards rewards={report.rewards} />
    <Labels advice={report.advice} />
    <Fields advice={report.advice} />
    <Calibration calibration={report.calibration} />
    <WorstExamples examples={report.worst_examples} />
    <Origin report={report} />
  </>
)

export default function Report({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["reports", id], () => client.reports.get(id))
  const report = query.data
  return (
    <Page
      title="Report"
      from={["/reports", "Reports"]}
      actions={
        report !== undefined && (
          <>
            <button type="button" className="quiet" onClick={() => window.print()}>
              Print
            </button>
            <Share id={id} />
            {report.student_model !== null && (
              <Deploy
                student={report.student_model}
                threshold={report.advice?.cascade?.recommended_threshold ?? null}
              />
            )}
          </>
        )
      }
    >
      <Answered query={query}>{(answer) => <Shown report={answer} />}</Answered>
    </Page>
  )
}
