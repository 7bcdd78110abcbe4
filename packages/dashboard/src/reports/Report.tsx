/** One report: does the student pay? Its parts are shared with the public page. */
import * as ReportPage from "@limbeck/api/report/ReportPage"
import { partsStyle } from "@limbeck/api/report/ReportStyle"
import type { Report as ReportAnswer } from "@limbeck/client"
import { useMemo } from "react"
import { Link } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Deploy } from "../deployments/Deploy.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Facts } from "../parts/Facts.tsx"
import { adopt, Markup } from "../parts/Markup.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"

adopt(partsStyle)

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

const Withdraw = ({ id }: { readonly id: string }) => {
  const client = useClient()
  return (
    <Ask
      button="Withdraw"
      tone="quiet"
      title="Withdraw the link of this report?"
      note="Whoever has it reads nothing any more. A new link can be made at any time."
      does="Withdraw"
      act={() => client.reports.unshare(id)}
    />
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
        ["Made", <Time key="made" at={report.created_at} />]
      ]}
    />
  </Section>
)

const Shown = ({ report }: { readonly report: ReportAnswer }) => {
  const shown = useMemo(() => ReportPage.renderReport(report), [report])
  return (
    <>
      <Markup of={shown} />
      <Origin report={report} />
    </>
  )
}

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
            <Withdraw id={id} />
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
      <QueryContent query={query}>{(answer) => <Shown report={answer} />}</QueryContent>
    </Page>
  )
}
