/** One report: does the student pay? Its parts are shared with the public page. */
import * as ReportPage from "@limbeck/api/report/ReportPage"
import { partsStyle } from "@limbeck/api/report/ReportStyle"
import { type ReportNames, titleOf } from "@limbeck/api/report/ReportTitle"
import type { Client, Report as ReportAnswer } from "@limbeck/client"
import { useMemo } from "react"
import { Link } from "wouter"
import { missingAsNull, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Deploy, recommendationHint } from "../deployments/Deploy.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Facts } from "../parts/Facts.tsx"
import { adopt, Markup } from "../parts/Markup.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { nameOf } from "../students/StudentWords.ts"
import { OperatingPoint } from "./OperatingPoint.tsx"

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

interface NamedReport extends ReportNames {
  readonly report: ReportAnswer
}

const readNamed = async (client: Client, id: string): Promise<NamedReport> => {
  const report = await client.reports.get(id)
  const datasetName = async () => {
    const version = await client.datasetVersions.get(report.provenance.dataset_version)
    return (await client.datasets.get(version.dataset)).name
  }
  const [student, dataset] = await Promise.all([
    report.student_model === null ? null : client.studentModels.get(report.student_model).then(nameOf, missingAsNull),
    datasetName().catch(missingAsNull)
  ])
  return { report, student, dataset }
}

const Origin = ({ dataset, report }: NamedReport) => (
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
            {dataset === null ? <code>{report.provenance.dataset_version}</code> : <bdi>{dataset}</bdi>}
          </Link>
        ],
        ["Made", <Time key="made" at={report.created_at} />]
      ]}
    />
  </Section>
)

const Shown = ({ named }: { readonly named: NamedReport }) => {
  const { report, student } = named
  const decision = useMemo(() => ReportPage.renderDecision(report), [report])
  const reasons = useMemo(() => ReportPage.renderReasons(report), [report])
  const { student_model: id } = report
  return (
    <>
      <Markup of={decision} />
      <OperatingPoint
        report={report}
        deploy={(threshold, isRecommended) =>
          id !== null && (
            <Deploy
              button={`Deploy at ${threshold}`}
              student={id}
              name={student ?? ""}
              threshold={threshold}
              hint={isRecommended ? recommendationHint(threshold) : "As chosen on the curve"}
            />
          )
        }
      />
      <Markup of={reasons} />
      <Origin {...named} />
    </>
  )
}

const Actions = ({ report, student }: NamedReport) => {
  const threshold = report.recommendation?.threshold ?? null
  return (
    <>
      <button type="button" className="quiet" onClick={() => window.print()}>
        Print
      </button>
      <Share id={report.id} />
      <Withdraw id={report.id} />
      {report.student_model !== null && (
        <Deploy
          student={report.student_model}
          name={student ?? ""}
          threshold={threshold}
          hint={recommendationHint(threshold)}
        />
      )}
    </>
  )
}

export default function Report({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["reports", id, "named"], () => readNamed(client, id))
  const named = query.data
  return (
    <Page
      title={named === undefined ? "Report" : titleOf(named.report.dry_run, named)}
      from={["/reports", "Reports"]}
      actions={named !== undefined && <Actions {...named} />}
    >
      <QueryContent query={query}>{(answer) => <Shown named={answer} />}</QueryContent>
    </Page>
  )
}
