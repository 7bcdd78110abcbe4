/** One deployment: its responder, quality, savings, and actions. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Bars } from "../parts/Bars.tsx"
import { Figure } from "../parts/Facts.tsx"
import { Notice } from "../parts/LongText.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { count, millis, share, usd } from "../parts/Words.ts"
import { StartReview } from "../review/StartReview.tsx"
import { AgreementOverTime } from "./AgreementOverTime.tsx"
import { AnswersOverTime } from "./AnswersOverTime.tsx"
import { Drift } from "./Drift.tsx"
import { Guard } from "./Guard.tsx"
import { Questions } from "./Questions.tsx"
import { Retrain } from "./Retrain.tsx"
import { SetUp } from "./SetUp.tsx"

type Answer = DeploymentWithFigures

const Activate = ({ deployment: { id, model } }: { readonly deployment: Answer }) => {
  const client = useClient()
  return (
    <Ask
      button="Activate"
      tone="primary"
      title={`Let the student answer as ${model}?`}
      note="The guard refuses a student without evidence that it is good enough."
      does="Activate"
      act={() => client.deployments.update(id, { mode: "active" })}
    />
  )
}

const Actions = ({ deployment }: { readonly deployment: Answer }) => {
  const client = useClient()
  const { agreement, figures, guarded_at, id, mode, previous_student_model, status } = deployment
  const isGuarded = guarded_at !== null || (agreement?.questions ?? []).some((question) => question.guarded_at !== null)
  if (status === "retired") return null
  return (
    <>
      <Retrain deployment={deployment} />
      {figures.questions.length === 0 && <StartReview button="Review" subject={{ deployment: id }} />}
      {(mode === "shadow" || isGuarded) && <Activate deployment={deployment} />}
      {mode === "active" && (
        <Ask
          button="To shadow"
          title="Put the student into the shadow?"
          note="The upstream answers again, and the student is only compared."
          does="To shadow"
          act={() => client.deployments.update(id, { mode: "shadow" })}
        />
      )}
      {previous_student_model !== null && (
        <Ask
          button="Roll back"
          title="Go back to the student before?"
          does="Roll back"
          act={() => client.deployments.rollback(id)}
        />
      )}
      <Ask
        button="Retire"
        tone="danger"
        title="Retire this deployment?"
        note="Calls for its alias are refused afterwards."
        does="Retire"
        act={() => client.deployments.retire(id)}
      />
    </>
  )
}

const Split = ({ figures: { calls } }: Pick<Answer, "figures">) => {
  const parts = [
    ["student", calls.student],
    ["upstream", calls.upstream],
    ["upstream, as fallback", calls.upstream_fallback],
    ["both, question by question", calls.mixed],
    ["upstream, with the student in shadow", calls.shadow]
  ] as const
  const all = parts.reduce((sum, [, times]) => sum + times, 0)
  return (
    <Section title="Who answers" note={all === 0 ? "No call yet." : `Of ${count(all)} calls.`}>
      <Bars
        label="Share of calls by who answered"
        bars={parts.map(([name, times]) => ({ name, of: all === 0 ? 0 : times / all, what: count(times) }))}
      />
    </Section>
  )
}

const Shown = ({ deployment }: { readonly deployment: Answer }) => {
  const { figures } = deployment
  return (
    <>
      {deployment.error !== null && <Notice of={deployment.error.message} />}
      <div className="figures">
        <Figure
          name="Saved"
          value={usd(figures.cost_saved_usd)}
          note={`the upstream costs ${usd(figures.upstream_cost_usd_mean)} a call`}
        />
        <Figure
          name="Latency of the student"
          value={millis(figures.student_latency_ms_mean)}
          note={`the upstream: ${millis(figures.upstream_latency_ms_mean)}`}
        />
        <Figure
          name="Agreement in comparisons"
          value={share(figures.agreement)}
          note={`${count(figures.agreed)} of ${count(figures.compared)}`}
        />
        <Figure
          name="Share for the student"
          value={`${deployment.traffic_percent} %`}
          note="of the calls for its alias; the rest goes to the fallback"
        />
      </div>
      <Split figures={figures} />
      <Guard {...deployment} />
      <Questions {...deployment} />
      {deployment.mode === "active" && <Drift {...deployment} />}
      <AgreementOverTime deployment={deployment.id} floor={deployment.guard?.min_agreement ?? null} />
      <SetUp deployment={deployment} />
      <AnswersOverTime deployment={deployment.id} />
    </>
  )
}

export default function Deployment({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["deployments", id], () => client.deployments.get(id), { refetchInterval: 2 * liveMillis })
  const deployment = query.data
  return (
    <Page
      title={deployment?.model ?? "Deployment"}
      from={["/deployments", "Deployments"]}
      actions={
        deployment !== undefined && (
          <>
            <Badge of={deployment.status} /> <Badge of={deployment.mode} /> <Actions deployment={deployment} />
          </>
        )
      }
    >
      <QueryContent query={query}>{(answer) => <Shown deployment={answer} />}</QueryContent>
    </Page>
  )
}
