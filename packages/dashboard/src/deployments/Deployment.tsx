/** One deployment: its responder, quality, savings, and actions. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { Link } from "wouter"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Bars } from "../parts/Bars.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { Notice } from "../parts/LongText.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, intervalText, millis, quantity, share, usd } from "../parts/Words.ts"
import { StartReview } from "../review/StartReview.tsx"
import { AgreementOverTime } from "./AgreementOverTime.tsx"
import { AnswersOverTime } from "./AnswersOverTime.tsx"
import { Drift } from "./Drift.tsx"
import { Questions } from "./Questions.tsx"
import { Retrain } from "./Retrain.tsx"

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

const Guard = ({ agreement, guard, guarded_at }: Pick<Answer, "agreement" | "guard" | "guarded_at">) => (
  <Section
    title="Guard"
    note={
      guard === null
        ? "It is off: nobody watches this student."
        : `${guard.verify_percent} % of the student's answers are compared with the upstream's.`
    }
  >
    {guarded_at !== null && (
      <p className="notice">
        The agreement fell below the floor <Time at={guarded_at} />:{" "}
        {guard?.on_breach === "fallback"
          ? "the fallback answers until a person activates it again."
          : "you were told, and the student still answers."}
      </p>
    )}
    <div className="figures">
      <Figure
        name="Agreement now"
        value={share(agreement?.value)}
        note={
          agreement === null
            ? "nothing was compared"
            : `${intervalText(agreement, share)}, ${quantity(agreement.comparisons, "comparison")}`
        }
      />
      <Figure name="Floor" value={share(guard?.min_agreement)} note={guard?.breach === null ? "it holds" : undefined} />
    </div>
    {agreement !== null && (
      <div
        className="gauge"
        role="img"
        aria-label={`Agreement ${share(agreement.value)}, between ${intervalText(agreement, share)}, floor ${share(guard?.min_agreement)}`}
      >
        <span
          className="gauge-interval"
          style={{ left: `${100 * agreement.low}%`, width: `${100 * (agreement.high - agreement.low)}%` }}
        />
        <span className="gauge-value" style={{ left: `${100 * agreement.value}%` }} />
        {typeof guard?.min_agreement === "number" && (
          <span className="gauge-floor" style={{ left: `${100 * guard.min_agreement}%` }} />
        )}
      </div>
    )}
  </Section>
)

const Traffic = ({ deployment: { id, traffic_percent } }: { readonly deployment: Answer }) => {
  const client = useClient()
  return (
    <Ask
      button="Change"
      title="Share of calls for the student"
      does="Change"
      act={(form) => client.deployments.update(id, { traffic_percent: Number(form.get("traffic_percent")) })}
    >
      <Input
        label="Percent"
        name="traffic_percent"
        type="number"
        min="0"
        max="100"
        step="any"
        defaultValue={traffic_percent}
        required
      />
    </Ask>
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
          note={<Traffic deployment={deployment} />}
        />
      </div>
      <Split figures={figures} />
      <Guard {...deployment} />
      <Questions {...deployment} />
      {deployment.mode === "active" && <Drift {...deployment} />}
      <AgreementOverTime deployment={deployment.id} floor={deployment.guard?.min_agreement ?? null} />
      <Section title="Set-up">
        <Facts
          of={[
            ["Programs ask for", <code key="model">{deployment.model}</code>],
            [
              "Student",
              <Link key="student" href={`/students/${deployment.student_model}`}>
                <code>{deployment.student_model}</code>
              </Link>
            ],
            [
              "Fallback",
              deployment.fallback === null
                ? "none"
                : `${deployment.fallback.model}, below a confidence of ${deployment.fallback.below_confidence ?? 0}`
            ],
            ["Time limit", millis(deployment.timeout_ms)],
            ["Made", <Time key="made" at={deployment.created_at} />],
            ["Changed", <Time key="changed" at={deployment.updated_at} />],
            [
              "Its calls",
              <Link key="calls" href={`/calls?model=${encodeURIComponent(deployment.model)}`}>
                show
              </Link>
            ]
          ]}
        />
      </Section>
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
